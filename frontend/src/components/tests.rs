//! Components in a real document.

use super::jobs::Jobs;
use super::knobs::Knobs;
use crate::form::Form;
use crate::prefs::Theme;
use crate::say::Say;
use crate::store::{News, Store, View};
use rowlock_shared::event::{Event, Evidence, What};
use rowlock_shared::ids::{Actor, JobId};
use rowlock_shared::scenario::{KNOBS, Scenario};
use rowlock_shared::text::Lang;
use rowlock_shared::wire::ToViewer;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use yew::prelude::*;

/// A place in the document that goes with the test.
struct Place(web_sys::Element);

impl Place {
    fn new() -> Place {
        let document = web_sys::window().expect("a window").document().expect("a document");
        let place = document.create_element("div").expect("an element");
        document.body().expect("a body").append_child(&place).expect("to append");
        Place(place)
    }

    fn find(&self, selector: &str) -> Option<web_sys::HtmlElement> {
        self.0.query_selector(selector).expect("a selector").and_then(|found| found.dyn_into().ok())
    }

    fn count(&self, selector: &str) -> u32 {
        self.0.query_selector_all(selector).expect("a selector").length()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.remove();
    }
}

async fn settled() {
    yew::scheduler::flush().await;
}

#[derive(Properties, PartialEq)]
struct FormProps {
    lang: Lang,
}

/// The knobs with a form that takes what they say.
#[component]
fn LiveForm(props: &FormProps) -> Html {
    let form = use_state(Form::default);
    let on_knob = {
        let form = form.clone();
        Callback::from(move |(name, text): (&'static str, String)| {
            let mut next = (*form).clone();
            next.set(name, text);
            form.set(next);
        })
    };
    let nothing = Callback::from(|()| ());
    html! {
        <ContextProvider<Say> context={Say(props.lang)}>
            <Knobs form={(*form).clone()} {on_knob} on_reset={nothing.clone()} on_save={nothing} on_open={Callback::from(|_| ())} />
        </ContextProvider<Say>>
    }
}

#[wasm_bindgen_test]
async fn every_knob_has_a_field_in_both_languages() {
    for lang in Lang::ALL {
        let place = Place::new();
        yew::Renderer::<LiveForm>::with_root_and_props(place.0.clone(), FormProps { lang }).render();
        settled().await;
        for knob in KNOBS.iter().filter(|knob| knob.name != "mode") {
            let field = place.find(&format!("[data-testid=knob-{}]", knob.name));
            let field = field.unwrap_or_else(|| panic!("{} has no field", knob.name));
            let label = place.find(&format!("label[for={}]", field.id())).expect("a label");
            // Not inner_text: it leaves out what is folded away.
            let label = label.text_content().unwrap_or_default();
            assert!(!label.trim().is_empty(), "{} has no label", knob.name);
            assert!(!place.0.text_content().unwrap_or_default().contains("Unknown localization"), "{}", lang.code());
        }
    }
}

#[wasm_bindgen_test]
async fn a_wrong_value_is_explained_at_its_field() {
    let place = Place::new();
    yew::Renderer::<LiveForm>::with_root_and_props(place.0.clone(), FormProps { lang: Lang::En }).render();
    settled().await;
    let field: web_sys::HtmlInputElement =
        place.find("[data-testid=knob-workers]").expect("a field").dyn_into().expect("an input");
    field.set_value("65");
    let options = web_sys::EventInit::new();
    options.set_bubbles(true);
    let event = web_sys::Event::new_with_event_init_dict("input", &options).expect("an event");
    field.dispatch_event(&event).expect("to dispatch");
    settled().await;
    let error = place.find(".knob.wrong .error").expect("an error").inner_text();
    assert!(error.contains("65") && error.contains("64"), "{error}");
    assert_eq!(field.get_attribute("aria-invalid").as_deref(), Some("true"));
    assert_eq!(field.value(), "65", "what was typed stays");
}

#[derive(Properties, PartialEq)]
struct TableProps {
    view: View,
}

#[component]
fn Table(props: &TableProps) -> Html {
    html! { <Jobs view={props.view.clone()} slow={props.view.clone()} now={0} theme={Theme::Light} /> }
}

#[wasm_bindgen_test]
async fn ten_thousand_rows_cost_a_screenful() {
    let scenario = Box::new(Scenario { jobs: 10_000, ..Scenario::default() });
    let told = [
        (Actor::Run, What::RunBegan { scenario, engine: String::new() }),
        (Actor::Producer, What::Enqueued { first: JobId(1), count: 10_000, priorities: Vec::new() }),
    ];
    let event = |(seq, (who, what))| Event { seq, at: seq, who, evidence: Evidence::Executed, what };
    let events = (1..).zip(told).map(event).collect();
    let mut store = Store::for_run(None);
    store.reduce(News::Message(Box::new(ToViewer::Events { events })), 0.0);
    let place = Place::new();
    let props = TableProps { view: View::new(Rc::new(RefCell::new(store)), 1) };
    yew::Renderer::<Table>::with_root_and_props(place.0.clone(), props).render();
    settled().await;
    let rows = place.count("tr.job");
    assert!((1..200).contains(&rows), "{rows} rows drawn");
    assert_eq!(place.find("table").expect("a table").get_attribute("aria-rowcount").as_deref(), Some("10001"));
    assert!(place.find("[data-testid=row-1]").is_some());
    assert!(place.find("[data-testid=job-map]").is_some());
}
