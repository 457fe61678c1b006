use super::*;
use std::fs;

/// An empty root of a file system, removed at the end.
struct Root(PathBuf);

impl Root {
    fn new(name: &str) -> Root {
        let dir = env::temp_dir().join(format!("rowlock-find-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Root(dir.canonicalize().unwrap())
    }

    /// Puts server programs into `dir`; the text of `postgres` is its version.
    fn server(&self, dir: &str, version: &str) -> PathBuf {
        let dir = self.0.join(dir);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("postgres"), format!("postgres (PostgreSQL) {version}")).unwrap();
        fs::write(dir.join("initdb"), "").unwrap();
        dir
    }

    fn places(&self) -> Places {
        Places { root: self.0.clone(), path: vec![], pg_config: None, only: None }
    }

    fn versions(places: &Places) -> Vec<(u32, u32)> {
        let read = |server: &Path| parse_version(&fs::read_to_string(server).unwrap());
        installations_in(places, read).iter().map(|i| (i.major, i.minor)).collect()
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn versions_are_read_as_every_packager_prints_them() {
    let read = |text| parse_version(&format!("postgres (PostgreSQL) {text}\n"));
    assert_eq!(read("15.18 (Debian 15.18-0+deb12u1)"), Some((15, 18)));
    assert_eq!(read("14.2"), Some((14, 2)));
    assert_eq!(read("18beta1"), Some((18, 0)));
    assert_eq!(read("19devel"), Some((19, 0)));
    assert_eq!(read("9.6.24"), Some((9, 6)));
    assert_eq!(read(""), None);
    assert_eq!(parse_version("sqlite 3"), None);
}

#[test]
fn every_usual_place_is_searched_and_the_newest_comes_first() {
    let root = Root::new("usual");
    root.server("usr/lib/postgresql/15/bin", "15.3");
    root.server("usr/pgsql-17/bin", "17.1");
    root.server("opt/homebrew/opt/postgresql@16/bin", "16.4");
    root.server("usr/local/opt/postgresql@14/bin", "14.9");
    root.server("Applications/Postgres.app/Contents/Versions/18/bin", "18.0");
    root.server("usr/bin", "13.20");
    root.server("usr/unrelated/bin", "16.9");
    assert_eq!(Root::versions(&root.places()), [(18, 0), (17, 1), (16, 4), (15, 3), (14, 9), (13, 20)]);
}

#[test]
fn a_link_in_path_and_the_folder_it_leads_to_are_one() {
    let root = Root::new("link");
    let real = root.server("usr/lib/postgresql/15/bin", "15.3");
    let linked = root.0.join("somewhere");
    fs::create_dir_all(&linked).unwrap();
    std::os::unix::fs::symlink(real.join("postgres"), linked.join("postgres")).unwrap();
    let places = Places { path: vec![linked], pg_config: Some(real), ..root.places() };
    assert_eq!(Root::versions(&places), [(15, 3)]);
}

#[test]
fn a_server_without_initdb_does_not_count() {
    let root = Root::new("bare");
    let dir = root.server("usr/bin", "15.3");
    fs::remove_file(dir.join("initdb")).unwrap();
    assert!(Root::versions(&root.places()).is_empty());
}

#[test]
fn the_variable_rules_out_every_other_place() {
    let root = Root::new("only");
    root.server("usr/lib/postgresql/18/bin", "18.1");
    let only = root.server("mine", "14.5");
    assert_eq!(Root::versions(&Places { only: Some(only), ..root.places() }), [(14, 5)]);
    let none = root.0.join("missing");
    assert!(Root::versions(&Places { only: Some(none), ..root.places() }).is_empty());
}

#[test]
fn the_newest_supported_wins_and_others_are_named() {
    let at = |major, minor| Installation { major, minor, bin_dir: format!("/pg/{major}").into() };
    assert_eq!(newest(&[at(19, 0), at(17, 2), at(17, 9), at(13, 1)]).unwrap(), at(17, 9));
    let refused = newest(&[at(19, 0), at(13, 1)]).unwrap_err();
    assert!(matches!(refused, ClusterError::Unsupported { .. }));
    let line = refused.to_string();
    assert!(line.contains("19.0 in /pg/19") && line.contains("13.1 in /pg/13") && line.contains("14 to 18"), "{line}");
}
