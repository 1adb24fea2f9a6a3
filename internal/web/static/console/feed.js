// Events, newest first, as the overview and the page of events show them.
import { useState, useLayoutEffect, signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { onPause, pageOfPath, resourceOf } from '../lib/navigate.js';
import * as store from '../lib/store.js';
import { day, money, number } from '../lib/format.js';
import { Ago, Code, Empty, EventType, FilterBox, Hold, Json, SkeletonRows, curl, nameOf } from './parts.js';

const systems = ['office', 'factory', 'hr', 'world', 'sandbox'];
const names = { office: 'Office', factory: 'Factory', hr: 'People', world: 'World', sandbox: 'Sandbox' };
const chosen = signal(new Set(systems));
const query = signal('');
const held = signal(null);
const open = signal('');

// goodsOf is what people call a material or a product, personOf one of the people.
const goodsOf = sku =>
  ['stock_item', 'office_product'].flatMap(store.rows).find(r => r.sku === sku)?.name ?? (sku || undefined);
const personOf = badge => store.rows('employee').find(p => p.badge_no === badge)?.name ?? badge;

// subject names what an event is about, in a word or two.
export const subject = ({ data: d }) =>
  d.number ??
  d.title ??
  d.name ??
  d.purchase_order_number ??
  nameOf(d.id) ??
  personOf(d.badge_no) ??
  goodsOf(d.sku) ??
  d.id;

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

function hold(on) {
  held.value = on ? store.events.value : null;
  if (!on) open.value = '';
}

// A list that moves while a row is read cannot be read.
function toggle(e) {
  if (open.value === e.id) {
    open.value = '';
    return;
  }
  if (!held.value) hold(true);
  open.value = e.id;
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
      <div class="chips">
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

// wanted reports whether an event is among those that the filters let through.
function wanted(e) {
  if (!chosen.value.has(e.system)) return false;
  const q = query.value.toLowerCase();
  return !q || e.type.includes(q) || e.id.includes(q) || JSON.stringify(e.data).toLowerCase().includes(q);
}

// Opened is the rest of an event: the record that it is about, and the event itself.
function Opened({ e }) {
  const page = pageOfPath(e.links?.self ?? '');
  return html`
    <div class="ev-body">
      ${
        page
          ? html`
            <p class="ev-record">
              <a class="btn small" href=${page}>
                <${Icon} name="file-text" size=${13} />
                ${subject(e) ?? 'Record'}<span class="vh">, the record</span>
              </a>
            </p>
          `
          : null
      }
      <${Json} value=${e} what="event" system=${e.system} />
    </div>
  `;
}

const EventRow = ({ e, fresh, tall }) => html`
  <li class=${fresh ? 'in' : ''}>
    <button
      class=${`ev ${e.system}`}
      data-row
      aria-expanded=${open.value === e.id}
      data-curl=${curl(`/events/${e.id}`)}
      onClick=${() => toggle(e)}
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
    ${open.value === e.id ? html`<${Opened} e=${e} />` : null}
  </li>
`;

// Older is shown for an event that the console does not have: the feed has all of them.
const Older = ({ id }) => html`
  <${Empty} icon="activity" title="This event is not among the newest">
    <p>Read older events from the feed.</p>
    <${Code} what="event" text=${curl(`/events/${id}`)} />
  <//>
`;

const Nothing = ({ filtered }) => html`
  <${Empty} icon="activity" title=${filtered ? 'Nothing matches' : 'Nothing has happened yet'}>
    <p>
      ${
        filtered
          ? 'Esc clears the filter; the chips bring the systems back.'
          : 'Each change of the company writes one event.'
      }
    </p>
  <//>
`;

// Events are the rows; those that came after the first state slide in.
function Events({ all, limit, tall, one }) {
  const [born] = useState(() => store.lastSeen.value || Infinity);
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${8} widths=${['2rem', '70%', '3rem']} />`;
  const shown = all.filter(wanted).slice(0, limit);
  if (one && one === query.value && !all.some(e => e.id === one)) return html`<${Older} id=${one} />`;
  if (!shown.length) return html`<${Nothing} filtered=${all.length > 0} />`;
  return html`
    <ol class="feed" aria-label="Events, newest first">
      ${shown.map(e => html`<${EventRow} key=${e.id} e=${e} fresh=${e.seq > born} tall=${tall} />`)}
    </ol>
  `;
}

export function Feed({ limit = 200, tall = false, one = '' }) {
  const newest = store.events.value;
  const all = held.value ?? newest;
  const fresh = held.value && newest.length ? newest[0].seq - (held.value[0]?.seq ?? 0) : 0;
  // one is the id of the event that an address names.
  useLayoutEffect(() => {
    if (!one) return;
    query.value = one;
    return () => {
      query.value = '';
    };
  }, [one]);
  useLayoutEffect(() => {
    onPause.current = () => hold(!held.value);
    return () => {
      onPause.current = null;
      hold(false);
    };
  }, []);
  return html`
    <section class=${`card events ${tall ? 'tall' : ''}`} aria-label="Events">
      <div class="card-h">
        <h2>${tall ? 'Feed' : 'Live events'}</h2>
        ${fresh > 0 ? html`<button class="pill info fresh" onClick=${() => hold(false)}>${fresh} new</button>` : null}
        <span class="grow" />
        <${Hold} held=${!!held.value} flip=${() => hold(!held.value)} />
      </div>
      <${Filters} />
      <${Events} all=${all} limit=${limit} tall=${tall} one=${one} />
    </section>
  `;
}
