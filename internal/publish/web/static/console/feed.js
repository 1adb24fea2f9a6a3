// Events, newest first, as the overview and the page of events show them.
import { useState, signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { nameOf, pageOfPath, resourceOf } from '../lib/navigate.js';
import { anyKey, reviewing } from '../lib/session.js';
import * as store from '../lib/store.js';
import { day, money, number, sentence, words } from '../lib/format.js';
import { Ago, Empty, EventType, FilterBox, Hold, Json, Problem, SkeletonRows, curl } from './parts.js';
import { Share, useAsked, useHeld, useSeen } from './parts.js';

const systems = ['office', 'factory', 'hr', 'world', 'sandbox'];
const names = { office: 'Office', factory: 'Factory', hr: 'People', world: 'World', sandbox: 'Sandbox' };
// chosen are the systems whose events are shown alone; without any, those of all are.
const chosen = signal(new Set());
const query = signal('');
// forks are loaded with the first event that is opened.
const forks = signal(null);
// search is loaded when a filter has a text and the server has older events.
const search = signal(null);
// pause is the least time between two reads of one event, in ms.
const pause = 1000;

// goodsOf is the name of a material or a product, personOf that of an employee.
const goodsOf = sku =>
  ['stock_item', 'office_product'].flatMap(store.rows).find(r => r.sku === sku)?.name ?? (sku || undefined);
const personOf = badge => store.rows('employee').find(p => p.badge_no === badge)?.name ?? badge;

// subject names what an event is about, in a word or two.
export const subject = ({ data: d }) =>
  d.number ??
  d.title ??
  d.name ??
  d.purchase_order_number ??
  d.payer_name ??
  nameOf(d.id) ??
  personOf(d.badge_no) ??
  goodsOf(d.sku) ??
  (d.id?.startsWith('sbx_') ? undefined : d.id);

// detail says what is known of it besides: the goods, whose they are, the money.
export function detail({ data }) {
  const r = { ...store.row(resourceOf(data.id), data.id), ...data };
  const goods = r.product_name ?? goodsOf(r.sku);
  const order = store.row('sales_order', r.sales_order_id ?? r.reference);
  const party = r.customer_id ?? order?.customer_id ?? r.supplier_id;
  const whose = r.payer_name ?? r.supplier_name ?? (party && (nameOf(party) ?? ''));
  const minor = r.total_minor ?? r.amount_minor ?? r.billed_minor ?? r.gross_minor;
  const count = goods && r.quantity != null && `${number(r.quantity)} × ${goods}`;
  return [count, whose, minor == null ? '' : money(minor)].filter(Boolean).join(' · ');
}

// said tells of an event in a sentence: the kind of record, its name, the change, and its goods, party and amount.
export function said(e) {
  const [, kind = '', became] = /\.(?:(\w+)\.)?(\w+)$/.exec(e.type);
  const name = String(subject(e) ?? '');
  const [first] = name.split(' ');
  // A name such as "run of WO-3001" says its kind itself.
  const of = words(kind).split(' ');
  if (of.at(-1) === first) of.pop();
  const known = detail(e);
  return `${sentence([...of, name, words(became)].filter(Boolean).join(' '))}${known ? `: ${known}` : ''}.`;
}

function flip(system) {
  const next = new Set(chosen.value);
  if (!next.delete(system)) next.add(system);
  chosen.value = next;
}

function Filters() {
  const filter = text => {
    query.value = text;
  };
  return html`
    <div class="filters">
      <${FilterBox} label="Filter events" value=${query.value} onInput=${filter} />
      <div class="chips" role="group" aria-label="Only events of">
        ${systems.map(
          s => html`
            <button class=${`chip ${s}`} aria-pressed=${chosen.value.has(s)} onClick=${() => flip(s)}>
              ${names[s]}
            </button>
          `,
        )}
      </div>
    </div>
  `;
}

// matches reports whether an event has the text of the filter, wanted whether its system is shown, too.
function matches(e) {
  const q = query.value.toLowerCase();
  return !q || e.type.includes(q) || e.id.includes(q) || JSON.stringify(e.data).toLowerCase().includes(q);
}
const wanted = e => (!chosen.value.size || chosen.value.has(e.system)) && matches(e);

// Opened is the rest of an event: the record that it is about, and the event itself.
function Opened({ e }) {
  if (!forks.value) import('./forks.js').then(it => (forks.value = it));
  const page = pageOfPath(e.links?.self ?? '');
  return html`
    <div class="ev-body">
      <p class="ev-said">${said(e)} <a href=${`/docs/events/${e.type}`}>About this event</a></p>
      <div class="ev-record">
        ${
          page
            ? html`
              <a class="btn small" href=${page}>
                <${Icon} name="file-text" size=${13} />
                ${subject(e) ?? 'Record'}<span class="vh">, the record</span>
              </a>
            `
            : null
        }
        <${Share} path=${`/console/events/${e.id}`} what="this event" />
        ${
          forks.value
            ? html`
              <${forks.value.ForkHere} id=${`fork-${e.id}`} point=${{ seq: e.seq }} of=${`after event ${e.seq}`} />
            `
            : null
        }
      </div>
      <${Json} value=${e} what="event" system=${e.system} />
    </div>
  `;
}

function EventRow({ e, fresh, tall, open, toggle }) {
  const row = useSeen(open);
  return html`
    <li class=${fresh ? 'in' : ''}>
      <button
        class=${`ev ${e.system}`}
        data-row
        ref=${row}
        aria-expanded=${open}
        data-curl=${curl(`/events/${e.id}`)}
        onClick=${() => toggle(e.id)}
      >
        <span class="seq">${e.seq}</span>
        <i class="dot" aria-hidden="true" />
        <${EventType} type=${e.type} />
        <span class="ref">${subject(e)}</span>
        ${tall ? html`<span class="about">${detail(e)}</span>` : null}
        <span class="grow" />
        <span class="date" title=${e.sim_date}>${tall ? day(e.sim_date) : day(e.sim_date).slice(4)}</span>
        <span class="when"><${Ago} at=${e.created_at} /></span>
      </button>
      ${open ? html`<${Opened} e=${e} />` : null}
    </li>
  `;
}

const named = e => {
  document.title = `${e.type} ${subject(e) ?? ''} · Platen`;
};

const Asked = ({ asked: { data, refusal }, toggle }) => {
  if (data) return html`<ol class="feed"><${EventRow} e=${data} tall open toggle=${toggle} /></ol>`;
  if (refusal) return html`<div class="pad"><${Problem} refusal=${refusal} /></div>`;
  return html`<${SkeletonRows} rows=${1} />`;
};

// Older is an event that this tab does not hold, from the feed.
function Older({ id, toggle }) {
  const asked = useAsked(`/v1/events/${id}`, id, pause, anyKey());
  if (asked.data) named(asked.data);
  return html`
    <${Asked} asked=${asked} toggle=${toggle} />
    <div class="pad"><a class="btn small" href="/console/events">All events</a></div>
  `;
}

// Nothing says where nothing was found: among the events from a number on, which may not be all.
function Nothing({ from, newest }) {
  const title = from > 1 ? `Nothing among the newest ${number(newest + 1 - from)} events` : 'No event matches';
  return html`
    <${Empty} icon="activity" title=${title}>
      <p>Esc clears the filter. Press a system again to see all of them.</p>
    <//>
  `;
}

const NoEvents = () => html`
  <${Empty} icon="activity" title="Nothing has happened yet"><p>Each change of the company writes one event.</p><//>
`;

// Further leads to the events that this tab does not hold, while a filter has a text.
function Further({ first, tall, tell }) {
  if (!query.value || first <= 1 || reviewing()) return null;
  if (!tall)
    return html`<div class="pad older"><a class="btn small" href="/console/events">Search all events</a></div>`;
  if (!search.value) import('./search.js').then(it => (search.value = it));
  return search.value
    ? html`<${search.value.Search} query=${query.value} matches=${matches} first=${first} tell=${tell} />`
    : null;
}

// Events are the rows; those that came after the first state slide in.
function Events({ held, limit, tall, one, toggle }) {
  const [born] = useState(() => store.lastSeen.value || Infinity);
  const [told, tell] = useState(null);
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${8} widths=${['2rem', '70%', '3rem']} />`;
  const older = told?.query === query.value ? told : null;
  const all = [...held, ...(older?.found ?? [])];
  const opened = all.find(e => e.id === one);
  if (one && !opened) return html`<${Older} id=${one} toggle=${toggle} />`;
  if (opened && tall) named(opened);
  if (!held.length) return html`<${NoEvents} />`;
  const found = new Set(all.filter(wanted).slice(0, limit));
  const shown = all.filter(e => e === opened || found.has(e));
  const first = held.at(-1).seq;
  return html`
    ${
      shown.length
        ? html`
          <ol class="feed" aria-label="Events, newest first">
            ${shown.map(
              e => html`
                <${EventRow}
                  key=${e.id}
                  e=${e}
                  fresh=${e.seq > born}
                  tall=${tall}
                  open=${e === opened}
                  toggle=${toggle}
                />
              `,
            )}
          </ol>
        `
        : html`<${Nothing} from=${Math.min(first, older?.from ?? first)} newest=${held[0].seq} />`
    }
    <${Further} first=${first} tall=${tall} tell=${tell} />
  `;
}

// Feed shows the events, of which one can be open; open opens it, or closes it without an id.
export function Feed({ limit = 200, tall = false, one = '', open }) {
  const newest = store.events.value;
  const { held, list, flip } = useHeld(newest, one, () => open(''));
  const fresh = held && newest.length ? newest[0].seq - (held[0]?.seq ?? 0) : 0;
  return html`
    <section class=${`card events ${tall ? 'tall' : ''}`} aria-label="Events">
      <div class="card-h">
        <h2>${tall ? 'Feed' : 'Live events'}</h2>
        ${fresh > 0 ? html`<button class="pill info fresh" onClick=${flip}>${fresh} new</button>` : null}
        <span class="grow" />
        <${Hold} held=${!!held} flip=${flip} />
      </div>
      <${Filters} />
      <${Events} held=${list} limit=${limit} tall=${tall} one=${one} toggle=${id => open(id === one ? '' : id)} />
    </section>
  `;
}
