// The page of faults: injected by the schedule of a plan, or now; and of triggers.
import { useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { session } from '../lib/session.js';
import { number, sentence, words } from '../lib/format.js';
import * as store from '../lib/store.js';
import * as faults from '../lib/faults.js';
import * as forks from '../lib/forks.js';
import { Compared, useWork } from './forks.js';
import { Triggers } from './triggers.js';
import { Ago, Problem, Skeleton, useAsked } from './parts.js';

// pause is the least time between two reads, in ms.
const pause = 3000;

const Plan = ({ of, plan }) =>
  plan
    ? html`
      <dl class="facts">
        <div><dt>Plan</dt><dd id="fault-plan">${plan.name}</dd></div>
        <div><dt>Seed</dt><dd class="num"><code>${of.seed}</code></dd></div>
        <div><dt>Delays</dt><dd class="num">${of.delay_pct} %</dd></div>
      </dl>
      <details class="shares">
        <summary>${plan.shares.length} ${plan.shares.length === 1 ? 'kind' : 'kinds'}, with rates</summary>
        <ul>
          ${plan.shares.map(
            ({ kind, share, when }) => html`
              <li>
                <span>${kind}${when ? html` <span class="dim">${when}</span>` : null}</span>
                <b class="num">${share}</b>
              </li>
            `,
          )}
        </ul>
      </details>
    `
    : html`<p class="dim" id="fault-plan">This sandbox has no fault plan.</p>`;

function Kinds({ chosen, choose }) {
  return html`
    <label class="field">
      <span>Fault</span>
      <select id="fault" value=${chosen?.kind ?? ''} onChange=${e => choose(e.target.value)}>
        <option value="">Choose…</option>
        ${faults.grouped(faults.kinds()).map(
          ([group, of]) => html`
            <optgroup label=${group}>
              ${of.map(k => html`<option value=${k.kind}>${sentence(k.kind)}</option>`)}
            </optgroup>
          `,
        )}
      </select>
    </label>
  `;
}

// Target is the request that a fault waits for.
function Target({ kind, operation, wait }) {
  if (!kind || kind.webhook) return null;
  return html`
    <label class="field">
      <span>Request</span>
      <select id="fault-operation" value=${operation} onChange=${e => wait(e.target.value)}>
        <option value="">Next ${faults.targetOf(kind)}</option>
        ${faults.operations().map(
          ([group, ids]) => html`
            <optgroup label=${group}>${ids.map(id => html`<option value=${id}>${sentence(id)}</option>`)}</optgroup>
          `,
        )}
      </select>
    </label>
  `;
}

// Form is how a lost request or response looks to the client.
const Form = ({ kind, form, look }) =>
  kind?.severs
    ? html`
      <label class="field">
        <span>Form</span>
        <select id="fault-form" value=${form} onChange=${e => look(e.target.value)}>
          <option value="">Either</option>
          ${Object.entries(faults.forms).map(([name, text]) => html`<option value=${name}>${sentence(text)}</option>`)}
        </select>
      </label>
    `
    : null;

// About explains a kind of fault, and how it looks to a client.
const About = ({ kind }) => html`
  <div class="dim" id="fault-about">
    <p>${kind.summary}</p>
    <p>Your client sees: ${kind.looks}</p>
  </div>
`;

function Inject({ injected }) {
  const { refusal, refuse, work } = useWork();
  const [chosen, choose] = useState(null);
  const [count, type] = useState('1');
  const [operation, wait] = useState('');
  const [form, look] = useState('');
  const over = !!store.readOnly.value;
  const pick = name => {
    choose(faults.kindOf(name) ?? null);
    wait('');
    look('');
    refuse(null);
  };
  // The button stays enabled meanwhile, so that it keeps the focus.
  const inject = e => {
    e.preventDefault();
    work('fault', async () => {
      await faults.inject(chosen.kind, faults.countOf(count), operation, form);
      injected();
    });
  };
  const busy = forks.working.value === 'fault';
  const ready = chosen && faults.countOf(count) && (busy || !forks.working.value);
  return html`
    <form class="form" onSubmit=${inject}>
      <fieldset class="form" disabled=${over}>
        <div class="beside">
          <${Kinds} chosen=${chosen} choose=${pick} />
          <${Target} kind=${chosen} operation=${operation} wait=${wait} />
          <${Form} kind=${chosen} form=${form} look=${look} />
          <label class="field times">
            <span>Times</span>
            <input
              name="count"
              type="number"
              min="1"
              max="100"
              required
              autocomplete="off"
              value=${count}
              onInput=${e => type(e.target.value)}
            />
          </label>
          <button class="btn" id="inject" disabled=${!ready} aria-busy=${busy}>
            <${Icon} name="zap" size=${14} />
            Inject fault
          </button>
        </div>
        ${chosen ? html`<${About} kind=${chosen} />` : null}
      </fieldset>
      ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    </form>
  `;
}

const Pending = ({ list }) => html`
  <div id="fault-pending" role="status">
    ${list.map(([kind, next]) => html`<p><span class="dim">Armed:</span> <b>${kind}</b> ${next}</p>`)}
  </div>
`;

function Happened({ list, count, armed }) {
  if (!list.length && armed) return null;
  if (!list.length) return html`<p class="pad dim" id="no-faults-yet">No fault has been injected yet.</p>`;
  return html`
    <ol class="happened" aria-label="Injected faults, newest first" tabindex="0">
      ${list.map(f => html`<${Row} key=${f.id} f=${f} />`)}
    </ol>
    ${count > list.length ? html`<p class="pad dim">The newest ${list.length} of ${number(count)}.</p>` : null}
  `;
}

function Row({ f }) {
  const { text, href } = faults.struck(f, {
    call: store.calls.value.find(c => c.id === f.request_id),
    delivery: store.row('webhook_delivery', f.delivery_id),
  });
  return html`
    <li>
      <div class="grow">
        <b>${words(f.kind)}</b>
        <p class="dim">${href ? html`<a href=${href}>${text}</a>` : text}${f.detail ? `, ${f.detail}` : ''}</p>
      </div>
      <span class="dim num"><${Ago} at=${f.created_at} /></span>
    </li>
  `;
}

function Body() {
  const [injections, count] = useState(0);
  const newest = store.calls.value[0]?.id;
  const sent = store.rows('webhook_delivery')[0]?.id;
  const { data, refusal, ask } = useAsked(
    '/console/data/faults',
    `${injections} ${newest} ${sent} ${store.status.value.last_seq}`,
    pause,
  );
  // What was injected here is shown at once.
  const injected = () => {
    count(injections + 1);
    ask();
  };
  if (!data && !refusal) return html`<div class="pad"><${Skeleton} width="70%" /></div>`;
  if (!data) return html`<div class="pad"><${Problem} refusal=${refusal} retry=${ask} /></div>`;
  const pending = faults.pendingOf(data.faults);
  return html`
    <div class="pad form">
      <${Plan} of=${data.faults} plan=${faults.planOf(data.faults)} />
      <${Inject} injected=${injected} />
      <${Pending} list=${pending} />
    </div>
    <${Happened} list=${data.happened} count=${data.count} armed=${pending.length > 0} />
  `;
}

function Faults() {
  if (!store.status.value && store.readOnly.value === 'gone') return null;
  if (!store.status.value)
    return html`<section class="card pad-all"><${Skeleton} width="60%" /><${Skeleton} width="90%" /></section>`;
  return html`
    <section class="card" aria-labelledby="faults">
      <div class="card-h"><h2 id="faults">Faults</h2></div>
      ${
        forks.compared.value
          ? html`<div class="pad"><${Compared} id="no-faults">you cannot inject faults<//></div>`
          : html`<${Body} key=${session.value.sandbox_id} />`
      }
    </section>
  `;
}

export const Page = () => html`
  <div class="title">
    <h1>Faults</h1>
    <p>Make requests fail, or trigger an event of the company, and see how your program copes.</p>
  </div>
  <div class="halves"><${Faults} /><${Triggers} /></div>
`;
