//! The world outside: what reached the customers, in order, and what reached them twice.

use super::disc::{Form, disc};
use super::icon::{icon, of_effect};
use crate::fmt;
use crate::say::{Say, use_say};
use crate::store::View;
use rowlock_shared::ids::Actor;
use rowlock_shared::text::Message;
use rowlock_shared::world::EffectView;
use yew::prelude::*;

/// Effects shown.
const SHOWN: usize = 40;

/// Duplicates shown above all others.
const ALARMS: usize = 12;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
}

/// The ledger.
#[component]
pub(crate) fn Customers(props: &Props) -> Html {
    let say = use_say();
    let store = props.view.read();
    let effects = &store.world.effects;
    let duplicates = store.world.counters.duplicates;
    let alarms: Vec<&EffectView> = effects.iter().rev().filter(|one| one.repeats.is_some()).take(ALARMS).collect();
    html! {
        <section class="customers" aria-label={say.t("page-customers")}>
            <h3 title={say.t("page-customers-about")}>{ say.t("page-customers") }<span class="range">{ fmt::whole(say.0, effects.len() as u32) }</span></h3>
            if duplicates > 0 {
                <p class="harm alarm">{ say.m(&Message::new("page-duplicates").with("n", duplicates)) }</p>
                <ul class="alarms" tabindex="0">{ for alarms.into_iter().map(|one| alarm(say, one)) }</ul>
            }
            <ul class="ledger" tabindex="0">{ for effects.iter().rev().take(SHOWN).map(|one| line(say, one)) }</ul>
            if effects.len() > SHOWN {
                <p class="range">{ say.m(&Message::new("page-earlier").with("n", effects.len() - SHOWN)) }</p>
            }
        </section>
    }
}

fn line(say: Say, effect: &EffectView) -> Html {
    let name = say.or(&format!("page-effect-{}", effect.effect), &effect.effect);
    html! {
        <li class={classes!(effect.repeats.map(|_| "harm"))} title={name.clone()}>
            { icon(of_effect(&effect.effect)) }<span class="unseen">{ name }</span>
            { say.m(&Message::new("page-order").with("job", effect.job.to_string())) }
            { disc(Actor::Worker(effect.worker), Form::Solid) }
        </li>
    }
}

/// A duplicate with both attempts that caused it.
fn alarm(say: Say, effect: &EffectView) -> Html {
    let Some(first) = effect.repeats else { return html! {} };
    let message = if first.worker == effect.worker { "page-did-it-again" } else { "page-both-did-it" };
    let message = Message::new(message)
        .with("job", effect.job.to_string())
        .with("first", first.worker.letter())
        .with("second", effect.worker.letter());
    html! {
        <li>
            { icon(of_effect(&effect.effect)) }
            <span>{ say.m(&message) }</span>
            <small>{ say.m(&Message::new("page-deliveries").with("first", first.delivery).with("second", effect.delivery)) }</small>
        </li>
    }
}
