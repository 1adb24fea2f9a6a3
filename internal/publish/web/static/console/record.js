// One record: its fields and what they mean, its trail through both systems, its events, and what
// it looks like on the wire.
import { signal, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { keyFor } from '../lib/session.js';
import { call } from '../lib/api.js';
import { labelOf, meanings, sorted, written } from '../lib/fields.js';
import * as store from '../lib/store.js';
import { day, number, plain, sentence } from '../lib/format.js';
import { nameFor, nameOf, pageOf, pageOfField } from '../lib/navigate.js';
import { Ago, Code, Empty, EventType, Json, Problem, Ref, SkeletonRows, Status, Table, curl } from './parts.js';
import { isLate, toneOf } from './parts.js';
import { Mend, curlOf, firstSteps, useNeeds } from './needs.js';
import { useWalk } from './search.js';
import { storyOf } from './story.js';

const eventsMost = 12;
// explained says whether the fields are explained.
const explained = signal(false);

// named finds the record that an id, a number on paper, a badge or an SKU names.
const named = (resource, id) =>
  store.row(resource, id) ?? store.rows(resource).find(r => [r.number, r.badge_no, r.sku].includes(id));

// useRecord is a record that is held here, or what the API says of an older one.
function useRecord({ system, path, resource, id }) {
  const held = named(resource, id);
  const [refusal, refuse] = useState(null);
  const [fetched, set] = useState(null);
  const record = held ?? fetched;
  if (!record && !refusal && store.loaded.value && fetched === null) {
    set(false); // asked once, with the key's budget
    call(`/v1/${path}/${id}`, { key: keyFor(system) }).then(r => set(r.data), refuse);
  }
  return { record, refusal };
}

// unitOf is the unit of a record's quantities: its own unit, or that of its goods.
const unitOf = r => r.unit ?? store.rows('stock_item').find(i => i.sku === r.sku)?.unit;

const isStatus = name => name === 'status' || name.endsWith('_status');

// Lines are the rows inside of a record.
function Lines({ name, lines, fields, system }) {
  const members = Object.keys(lines[0]);
  const right = m => typeof lines[0][m] === 'number';
  return html`
    <${Table} label=${labelOf(name)} head=${members.map(m => [labelOf(m), right(m) ? 'r' : ''])}>
      ${lines.map(
        line => html`
          <tr>
            ${members.map(
              m => html`
                <td class=${right(m) ? 'r num' : ''} title=${fields?.[m]?.text}>
                  <${Value} name=${m} value=${line[m]} unit=${unitOf(line)} system=${system} />
                </td>
              `,
            )}
          </tr>
        `,
      )}
    <//>
  `;
}

// Value is the content of a field, with its unit, or a link to the record that it names.
function Value({ name, value, unit, fields, system }) {
  if (isStatus(name) && value) return html`<${Status} is=${value} />`;
  if (Array.isArray(value) && value.length) {
    if (typeof value[0] === 'object')
      return html`<${Lines} name=${name} lines=${value} fields=${fields} system=${system} />`;
    return value.map(v => html`<${Ref} field=${name} id=${v} system=${system} /> `);
  }
  if (value && typeof value === 'object') {
    if (value.id && pageOf(value.id)) return html`<${Ref} id=${value.id} system=${system} />`;
    return html`<${Json} value=${value} what=${labelOf(name)} system=${system} />`;
  }
  if (name !== 'number' && name !== 'id' && pageOfField(name, value, system))
    return html`<${Ref} field=${name} id=${value} system=${system} />`;
  const text = written(name, value, unit);
  const exact = name === 'id' || name === 'number';
  return exact
    ? html`<code>${text}</code>`
    : html`<span class=${typeof value === 'number' ? 'num' : ''}>${text}</span>`;
}

// breakable is a name that a narrow column breaks between its words.
const breakable = name => name.split('_').flatMap((word, i) => (i ? ['_', html`<wbr />`, word] : [word]));

const wide = value => Array.isArray(value) && typeof value[0] === 'object';

const Field = ({ name, record, fields, unit, system }) => html`
  <div class=${wide(record[name]) ? 'wide' : ''}>
    <dt title=${name}>${labelOf(name)}${explained.value ? html`<code>${breakable(name)}</code>` : null}</dt>
    <dd class=${isLate(record, name, store.present.value?.sim_date) ? 'late' : ''}>
      <${Value} name=${name} value=${record[name]} unit=${unit} fields=${fields[name]?.fields} system=${system} />
      ${explained.value && fields[name] ? html`<p class="means">${fields[name].text}</p>` : null}
    </dd>
  </div>
`;

function Fields({ record, resource, system }) {
  const [all, show] = useState(false);
  const fields = meanings(resource);
  const known = id => !!(nameOf(id) ?? store.rows('office_product').find(p => p.sku === id));
  const { filled, empty, last } = sorted(record, known);
  const unit = unitOf(record);
  const flip = () => {
    explained.value = !explained.value;
  };
  const list = names => html`
    <dl class="fields">
      ${names.map(
        name => html`<${Field} name=${name} record=${record} fields=${fields} unit=${unit} system=${system} />`,
      )}
    </dl>
  `;
  return html`
    <section class="rec-part rec-fields" aria-labelledby="rec-fields">
      <div class="rec-h">
        <h3 id="rec-fields">Fields</h3>
        <span class="grow" />
        <button class="chip bare" aria-pressed=${explained.value} onClick=${flip}>Explain fields</button>
      </div>
      ${list(filled)}
      <button class="as-text more-fields" aria-expanded=${all} onClick=${() => show(!all)}>
        ${all ? 'Show fewer fields' : `Show ${empty.length + last.length} empty or system fields`}
      </button>
      ${all ? list([...empty, ...last]) : null}
    </section>
  `;
}

const Named = ({ s }) =>
  s.here ? html`<b>${s.name}</b>` : html`<a class="ref-link" href=${s.page} title=${s.id}>${s.name}</a>`;

const Stop = ({ s }) => html`
  <li class=${`${s.system} ${s.missing ? 'missing' : ''}`} aria-current=${s.here ? 'true' : undefined}>
    <i class="dot" aria-hidden="true" />
    <span class="step-n">
      <span class="step-k">${s.kind}</span>
      ${s.missing ? null : html`<${Named} s=${s} />`}
    </span>
    ${s.status ? html`<${Status} is=${s.status} of=${s.resource} />` : html`<span />`}
    <span class="step-t">${s.text}</span>
    <span class="step-d num">${s.on}</span>
  </li>
`;

const Story = ({ steps }) => html`
  <section class="rec-part rec-trail" aria-labelledby="rec-trail">
    <div class="rec-h"><h3 id="rec-trail">Trail through both systems</h3></div>
    <ol class="story">${steps.map(s => html`<${Stop} s=${s} />`)}</ol>
  </section>
`;

const Happened = ({ e }) => html`
  <li class=${e.system}>
    <i class="dot" aria-hidden="true" />
    <a href=${`/console/events/${e.id}`}><${EventType} type=${e.type} /></a>
    <span class="dim num">${day(e.sim_date)} · <${Ago} at=${e.created_at} /></span>
  </li>
`;

function Events({ record }) {
  const about = e => e.data.id === record.id || JSON.stringify(e.data).includes(`"${record.id}"`);
  const first = store.events.value.at(-1)?.seq ?? 1;
  const { found, from, busy, refusal, run, stop } = useWalk(record.id, first, about);
  const events = [...store.events.value.filter(about), ...found];
  const [all, show] = useState(false);
  const shown = all ? events : events.slice(0, eventsMost);
  return html`
    <section class="rec-part" aria-labelledby="rec-events">
      <div class="rec-h"><h3 id="rec-events">Events</h3></div>
      ${shown.length ? html`<ol class="rec-events">${shown.map(e => html`<${Happened} e=${e} />`)}</ol>` : null}
      ${
        events.length > shown.length
          ? html`<button class="as-text more-fields" onClick=${() => show(true)}>All ${events.length} events</button>`
          : null
      }
      ${
        from > 1
          ? html`
            <p class="older-events">
              <button class="btn small" onClick=${busy ? stop : run}>${busy ? 'Stop' : 'Older events'}</button>
              <span class="dim">
                ${busy ? `Read back to event ${number(from)}…` : 'Counts towards your rate limit'}
              </span>
            </p>
          `
          : events.length
            ? null
            : html`<p class="dim">No event mentions this record.</p>`
      }
      ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    </section>
  `;
}

// Wire is the record as the API responds with it, and how to ask for it.
const Wire = ({ record, text, system }) => html`
  <details class="rec-part rec-wire">
    <summary><${Icon} name="chevron-right" size=${14} />JSON</summary>
    <${Json} value=${record} what="record" system=${system} />
    <${Code} text=${text} what="curl" />
  </details>
`;

// Parts shows how much of an order has left the Factory and is billed, once that is a part of it.
function Parts({ record, resource }) {
  const { quantity, quantity_billed: billed, quantity_shipped: sent, quantity_ready: ready } = record;
  const steps = {
    sales_order: [['billed', billed]],
    work_order: [
      ['shipped', sent],
      ['ready', ready],
    ],
  }[resource];
  const some = steps?.filter(([, n]) => n > 0) ?? [];
  if (!some.some(([, n]) => n < quantity)) return null;
  return html`
    <section class="rec-part parts" aria-label="Parts">
      ${some.map(
        ([what, n]) => html`
          <div>
            <span class="num">${number(n)} of ${number(quantity)} ${what}</span>
            <span class="bar-track"><i style=${{ transform: `scaleX(${n / quantity})` }} /></span>
          </div>
        `,
      )}
    </section>
  `;
}

// stripDates are the days that a reader of a record looks for first; those to come only while they matter.
const stripDates = (
  'received_on answer_by due_date deliver_by needed_by expected_on arrived_on cancel_after started_sim started_on ' +
  'opens_on closes_on shipped_on issued_on paid_on recorded_on effective_until'
).split(' ');
const stripMost = 4;
const stripAmounts = ['total_minor', 'billed_minor', 'amount_minor'];
const stripReasons = ['decline_reason', 'expired_reason', 'dispute_reason', 'reason', 'match_status'];

// stripOf are the fields in the strip of a record: amount, reason and dates.
const stripOf = r => {
  const filled = names => names.filter(name => r[name] != null && r[name] !== '');
  return [
    ...filled(stripAmounts).slice(0, 1),
    ...filled(stripDates).slice(0, stripMost),
    ...filled(stripReasons).slice(0, 1),
  ];
};

// Strip has the amount, the dates and the reason of a record, and what to do with it next.
function Strip({ record, resource, system }) {
  const names = stripOf(record);
  return html`
    <div class="strip">
      ${
        names.length
          ? html`
            <dl class="facts">
              ${names.map(
                name => html`
                  <div class=${isLate(record, name, store.present.value?.sim_date) ? 'late' : ''}>
                    <dt>${labelOf(name)}</dt>
                    <dd class="num"><${Value} name=${name} value=${record[name]} system=${system} /></dd>
                  </div>
                `,
              )}
            </dl>
          `
          : null
      }
      ${canAct() ? html`<${NextStep} record=${record} resource=${resource} />` : null}
    </div>
  `;
}

// canAct reports whether a next step may be shown: it would play for those who are compared.
const canAct = () => !!store.status.value && !store.status.value.evaluation && !store.readOnly.value;

// followed are the states of an order in which its next step is known here.
const followed = ['received', 'accepted', 'in_production', 'shipped'];
// open are the tones of records with which something may have to be done.
const open = ['wait', 'work', 'warn', 'bad'];

function NextStep({ record, resource }) {
  if (resource === 'sales_order')
    return followed.includes(record.status) && keyFor('factory') && keyFor('office')
      ? html`<${OrderStep} o=${record} />`
      : null;
  return record.status && open.includes(toneOf(record.status, resource))
    ? html`<${AskedStep} record=${record} />`
    : null;
}

const OrderStep = ({ o }) => {
  const step = firstSteps(o).find(s => !s.done);
  return step ? html`<${Step} ...${step} /> ` : null;
};

// AskedStep is the request for a record among those that the server proposes.
function AskedStep({ record }) {
  const { data } = useNeeds(record.updated_at);
  const item = data?.items?.find(i => i.records.some(r => r.id === record.id));
  return item?.command ? html`<${Step} text=${plain(item.message)} command=${item.command} />` : null;
}

const Step = ({ text, command, request }) => html`
  <div class="next-step">
    <p><b>Next:</b> ${text}</p>
    ${command ? html`<${Mend} command=${command} />` : null}
    ${request ? html`<${Code} what="the next request" text=${curlOf(request)} />` : null}
  </div>
`;

// titleOf says in a line what the record is about.
const titleOf = r =>
  [
    r.quantity && r.product_name ? `${number(r.quantity)} × ${r.product_name}` : r.product_name,
    r.customer_name ?? r.supplier_name,
    r.number && r.name,
  ]
    .filter(Boolean)
    .join(' · ');

function Body({ record, refusal, resource, system, path }) {
  if (refusal?.status === 404)
    return html`
      <${Empty} icon="search" title="Record not found">
        <p>This sandbox has no record with this id or number. It may be in another sandbox.</p>
      <//>
    `;
  if (refusal) return html`<${Problem} refusal=${refusal} />`;
  if (!record && !store.loaded.value) return html`<${SkeletonRows} rows=${5} widths=${['5rem', '70%']} />`;
  if (!record) return html`<${Empty} icon="search" title="Loading the record…" />`;
  const steps = storyOf(resource, record);
  return html`
    <${Strip} record=${record} resource=${resource} system=${system} />
    <div class="rec-b">
      <${Fields} record=${record} resource=${resource} system=${system} />
      <div class="rec-side">
        <${Parts} record=${record} resource=${resource} />
        ${steps.length ? html`<${Story} steps=${steps} />` : null}
        <${Events} record=${record} />
      </div>
      <${Wire} record=${record} text=${curl(`/${path}/${record.id}`, system)} system=${system} />
    </div>
  `;
}

export function Record({ system, resource, path, list, title, id }) {
  const { record, refusal } = useRecord({ system, path, resource, id });
  const about = record ? titleOf(record) : '';
  const waits = !!record && isLate(record, 'arrived_on', store.present.value?.sim_date);
  return html`
    <article class="card detail" aria-label=${`One of ${title}`}>
      <div class="card-h">
        <a class="btn plain small rec-back" href=${list}>
          <${Icon} name="arrow-left" size=${14} />
          <span>${title}</span>
        </a>
        <h2 class=${`c-${system}`}>${record ? sentence(nameFor(resource, record)) : id}</h2>
        ${record?.status ? html`<${Status} is=${record.status} of=${resource} late=${waits} />` : null}
        <span class="rec-about">${about}</span>
        <span class="grow" />
        <a class="btn plain small rec-close" href=${list}><${Icon} name="x" size=${14} label="Close" /></a>
      </div>
      <${Body} record=${record} refusal=${refusal} resource=${resource} system=${system} path=${path} />
    </article>
  `;
}
