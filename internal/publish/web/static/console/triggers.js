// Triggers: events of the world that the reader causes.
import { useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { session } from '../lib/session.js';
import { sentence } from '../lib/format.js';
import * as store from '../lib/store.js';
import * as forks from '../lib/forks.js';
import * as triggers from '../lib/triggers.js';
import { Compared, useWork } from './forks.js';
import { Problem, Skeleton } from './parts.js';

const overWords = {
  gone: 'The sandbox is gone.',
  expired: 'The sandbox has expired. The company is read-only.',
  bankrupt: 'The company is bankrupt and read-only.',
};

// products are those of either system: a tab may have one key only.
const products = () => {
  const office = store.rows('office_product');
  return office.length ? office : store.rows('factory_product');
};

// choices are [value, text] of a field of which the tab has the records.
const choices = (trigger, name) =>
  ({
    sku: () => triggers.skus(trigger, products(), store.rows('stock_item')).map(i => [i.sku, i.name]),
    customer_id: () => store.rows('customer').map(c => [c.id, c.name]),
    press_id: () => store.rows('press').map(p => [p.id, p.name]),
  })[name]?.() ?? [];

function Field({ trigger, name, value, set }) {
  const { min, max } = triggers.fields[name] ?? {};
  const all = choices(trigger, name);
  const typed = e => set(e.target.value);
  return html`
    <label class="field">
      <span>${triggers.labelOf(trigger, name)}</span>
      ${
        all.length
          ? html`
            <select name=${name} value=${value} onChange=${typed}>
              <option value="">random</option>
              ${all.map(([id, text]) => html`<option value=${id}>${text}</option>`)}
            </select>
          `
          : html`
            <input
              name=${name}
              type=${triggers.isDate(name) ? 'date' : triggers.isNumber(name) ? 'number' : 'text'}
              min=${min}
              max=${max}
              autocomplete="off"
              spellcheck="false"
              placeholder="random"
              value=${value}
              onInput=${typed}
            />
          `
      }
    </label>
  `;
}

// About explains a trigger, its needs and its fields.
function About({ trigger, typed, type }) {
  const needs = triggers.needsOf(trigger, triggers.kinds());
  return html`
    <div class="dim" id="trigger-about">
      <p>${trigger.summary}</p>
      ${needs ? html`<p>Needs: ${needs}</p>` : null}
    </div>
    ${
      trigger.fields.length
        ? html`
          <div class="takes">
            ${trigger.fields.map(
              name => html`
                <${Field}
                  key=${`${trigger.type} ${name}`}
                  trigger=${trigger}
                  name=${name}
                  value=${typed[name] ?? ''}
                  set=${value => type({ ...typed, [name]: value })}
                />
              `,
            )}
          </div>
        `
        : null
    }
  `;
}

// Kinds is the list to choose from.
const Kinds = ({ chosen, choose }) => html`
  <label class="field">
    <span>Event</span>
    <select id="trigger" value=${chosen?.type ?? ''} onChange=${e => choose(e.target.value)}>
      <option value="">Choose…</option>
      ${triggers.grouped(triggers.kinds()).map(
        ([group, of]) => html`
          <optgroup label=${group}>
            ${of.map(t => html`<option value=${t.type}>${sentence(t.type)}</option>`)}
          </optgroup>
        `,
      )}
    </select>
  </label>
`;

// Faults are the rules that a body breaks, where there are more than the message names.
const Faults = ({ list = [] }) =>
  list.length > 1
    ? html`<ul class="dim">${list.map(f => html`<li><code>${f.field}</code>: ${f.message}</li>`)}</ul>`
    : null;

// Outcome is there before there is one, so that it is read out.
const Outcome = ({ of }) => html`
  <p class="outcome" id="trigger-outcome" role="status">
    ${of ? html`<b>${of.title}</b>: ${of.text}. <a href="/console/events">Events</a>` : null}
  </p>
`;

function Pull() {
  const { refusal, refuse, work } = useWork();
  const [chosen, choose] = useState(null);
  const [typed, type] = useState({});
  const [done, set] = useState(null);
  const over = store.readOnly.value;
  const pick = name => {
    choose(triggers.kinds().find(t => t.type === name) ?? null);
    type({});
    set(null);
    refuse(null);
  };
  // The button stays enabled meanwhile, so that it keeps the focus.
  const pull = e => {
    e.preventDefault();
    work('trigger', async () => {
      set(null);
      const result = await triggers.pull(triggers.bodyOf(chosen, typed));
      set(triggers.outcome(result, store.present.value.sim_time));
    });
  };
  const busy = forks.working.value === 'trigger';
  return html`
    <form class="form" onSubmit=${pull}>
      ${over ? html`<p id="trigger-over">${overWords[over] ?? 'The company is read-only.'}</p>` : null}
      <fieldset class="form" disabled=${!!over}>
        <${Kinds} chosen=${chosen} choose=${pick} />
        ${chosen ? html`<${About} trigger=${chosen} typed=${typed} type=${type} />` : null}
        <div class="row-actions">
          <button class="btn" id="bring" disabled=${!chosen || (!!forks.working.value && !busy)} aria-busy=${busy}>
            <${Icon} name="zap" size=${14} />
            ${busy ? 'Triggering…' : 'Trigger event'}
          </button>
        </div>
      </fieldset>
      ${refusal ? html`<${Problem} refusal=${refusal} /><${Faults} list=${refusal.details?.fields} />` : null}
      <${Outcome} of=${done} />
    </form>
  `;
}

export function Triggers() {
  const s = store.status.value;
  if (!s && store.readOnly.value === 'gone') return null;
  if (!s) return html`<section class="card pad-all"><${Skeleton} width="60%" /><${Skeleton} width="90%" /></section>`;
  return html`
    <section class="card" aria-labelledby="triggers">
      <div class="card-h">
        <h2 id="triggers">Trigger an event</h2>
        <span class="grow" />
        ${s.assisted ? html`<span class="pill" id="assisted">assisted</span>` : null}
      </div>
      <div class="pad form">
        ${
          forks.compared.value
            ? html`<${Compared} id="no-triggers">triggers are disabled<//>`
            : html`
              <p class="dim">
                ${
                  s.assisted
                    ? 'You triggered an event, so this sandbox is assisted: its score is not compared.'
                    : 'Triggering an event marks this sandbox as assisted and excludes its score from comparisons.'
                }${' '}
                <a href="/docs/triggers">All triggers</a>
              </p>
              <${Pull} key=${session.value.sandbox_id} />
            `
        }
      </div>
    </section>
  `;
}
