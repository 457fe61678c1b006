//! `rowlock`: see [`rowlock_backend::cli`].

fn main() -> std::process::ExitCode {
    rowlock_backend::cli::main()
}
