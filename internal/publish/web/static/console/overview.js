import { useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { Refusal, call } from '../lib/api.js';
import { nameOf, show } from '../lib/navigate.js';
import { keyFor } from '../lib/session.js';
import * as store from '../lib/store.js';
import { day, money, number, roundMoney, sentence, signed, words, workingDay } from '../lib/format.js';
import { Ago, Empty, Http, Problem, Seen, Skeleton, SkeletonRows, Table, bridgeNow } from './parts.js';
import { dangerOf, kindsOf, lapsedOn, missedBy, movedDays, withinSpan, worthOf } from './parts.js';
import { Plots } from './chart.js';
import { Feed } from './feed.js';
import { Attention, First } from './needs.js';

const newestMost = 7;

function Tile({ name, value, children }) {
  return html`
    <div class="tile">
      <span class="tile-n">${name}</span>
      <span class="tile-v">${value ?? html`<${Skeleton} width="6.5rem" />`}</span>
      ${children}
    </div>
  `;
}

function Material({ m }) {
  const most = Math.max(m.reorder_point * 2, m.on_hand);
  const [have, least] = [number(m.on_hand), number(m.reorder_point)];
  const tone = m.on_hand === 0 ? 'bad' : m.on_hand < m.reorder_point ? 'warn' : 'ok';
  return html`
    <li class=${tone} title=${`${m.name}: ${have}, reorder at ${least}`}>
      <span>${m.name.split(',')[0]}</span>
      <span class="meter" role="img" aria-label=${`${have} of ${m.name}, reorder at ${least}`}>
        <i style=${{ transform: `scaleX(${m.on_hand / most})` }} />
        <b style=${{ left: `${(100 * m.reorder_point) / most}%` }} />
      </span>
      <span class="num">${have}</span>
    </li>
  `;
}

const Materials = ({ s }) => html`
  <div class="tile materials">
    <span class="tile-n">Materials</span>
    <ul>
      ${
        s
          ? s.inventory.materials.map(m => html`<${Material} m=${m} />`)
          : Array.from({ length: 5 }, () => html`<li><${Skeleton} width="100%" /></li>`)
      }
    </ul>
  </div>
`;

const pressTones = { running: 'ok', down: 'bad' };

// PressList is by name, or a number while the tab has no key of the Factory.
function PressList({ s }) {
  const presses = store.rows('press');
  const runs = store.rows('print_run').filter(r => r.status === 'running');
  const running = new Map(runs.map(r => [r.press_id, r]));
  if (!presses.length && !s) return html`<${Skeleton} width="100%" />`;
  if (!presses.length) {
    const { idle, running, down } = s.presses;
    return html`<span class="tile-v">${running}<small> of ${idle + running + down} running</small></span>`;
  }
  return html`
    <ul class="presses">
      ${presses.map(
        p => html`
          <li class=${pressTones[p.status] ?? 'calm'}>
            <i class="dot" aria-hidden="true" />
            <span>${p.name}</span>
            <span class="dim num">${running.get(p.id)?.number ?? words(p.status)}</span>
          </li>
        `,
      )}
    </ul>
  `;
}

const Presses = ({ s }) => html`
  <div class="tile">
    <span class="tile-n">Presses</span>
    <${PressList} s=${s} />
  </div>
`;

// low and middling are the reputation and the morale below which customers and people leave, or may soon.
const low = 30;
const middling = 60;
const toneOf = n => (n < low ? 'c-red' : n < middling ? 'c-amber' : 'c-green');

const Mark = ({ name, n }) => html`
  <span class="tile-n">${name}</span>
  <span class="tile-v">${n == null ? html`<${Skeleton} />` : html`<b class=${toneOf(n)}>${n}</b>`}</span>
`;

// Standing is how customers and people think of the company, of 100.
const Standing = ({ s }) => html`
  <div class="tile standing">
    <${Mark} name="Reputation" n=${s?.reputation} />
    <${Mark} name="Morale" n=${s?.morale} />
  </div>
`;

function Cash({ s }) {
  if (!s) return html`<${Tile} name="Cash" />`;
  const change = s.cash_minor - s.opening_cash_minor;
  const value = html`
    <span class=${s.cash_minor < 0 ? 'c-red' : ''}>${roundMoney(s.cash_minor)}</span><small> ${s.currency}</small>
  `;
  return html`
    <${Tile} name="Cash" value=${value}>
      <span class="tile-s">
        <b class=${change < 0 ? 'c-red' : change > 0 ? 'c-green' : ''}>${signed(change)}</b> since the opening
      </span>
      <span class="tile-s">net worth <b>${roundMoney(s.net_worth_minor)}</b></span>
      ${keyFor('office') ? html`<a class="tile-s" href="/console/office/ledger">Every movement</a>` : null}
    <//>
  `;
}

// Gaps counts the records that a program has not carried over a manual bridge yet.
function Gaps() {
  const bridge = bridgeNow();
  if (!bridge) return null;
  if (!bridge.gaps) return html`<a class="tile-s" href="/console/bridge">no gap on the bridge</a>`;
  return html`
    <a class="tile-s" href="/console/bridge">
      <b class="c-red">${number(bridge.gaps)}</b> ${bridge.gaps === 1 ? 'gap' : 'gaps'} on the bridge, the oldest
      since <b>${day(bridge.oldestOn)}</b>
    </a>
  `;
}

function Orders({ s }) {
  if (!s) return html`<${Tile} name="Orders open" />`;
  const { orders_open, work_orders_open, lots_offered, invoices_payable } = s.counts;
  const lots = lots_offered === 1 ? 'lot' : 'lots';
  const work = work_orders_open === 1 ? 'work order' : 'work orders';
  return html`
    <${Tile} name="Orders open" value=${number(orders_open)}>
      <span class="tile-s">
        <b>${work_orders_open}</b> ${work} open · <b>${lots_offered}</b> ${lots} offered
      </span>
      <span class="tile-s"><b>${s.score.orders_shipped}</b> shipped · <b>${invoices_payable}</b> to pay</span>
      <${Gaps} />
    <//>
  `;
}

function Tiles() {
  const s = store.status.value;
  return html`
    <section class="tiles" aria-label="Now">
      <${Cash} s=${s} />
      <${Orders} s=${s} />
      <${Materials} s=${s} />
      <${Presses} s=${s} />
      <${Standing} s=${s} />
    </section>
  `;
}

// More is the head of a card whose page has all of it.
const More = ({ title, path, children }) => html`
  <div class="card-h">
    <h2>${title}</h2>
    ${children}
    <span class="grow" />
    <a class="more" href=${path}>All <${Icon} name="chevron-right" size=${14} /></a>
  </div>
`;

// answerable reports whether there is time to answer an order. One that lapses by tomorrow evening needs attention,
// and is said there.
export const answerable = (o, today, evaluation) =>
  o.status === 'received' && (evaluation || workingDay(o.answer_by) > workingDay(today) + 1);

// The orders that wait for an answer.
function Waiting() {
  const [{ busy, refusal }, set] = useState({ busy: '', refusal: null });
  const s = store.status.value;
  const waiting = store.rows('sales_order').filter(o => answerable(o, store.present.value.sim_date, s?.evaluation));
  if (!waiting.length) return null;
  const oldest = waiting.slice(-4).reverse();
  const path = o => `/v1/office/sales-orders/${o.id}/accept`;
  const accept = async o => {
    set({ busy: o.id, refusal: null });
    try {
      await call(path(o), { key: keyFor('office'), method: 'POST' });
      say(`${o.number}: accepted`);
      set({ busy: '', refusal: null });
    } catch (e) {
      set({ busy: '', refusal: e instanceof Refusal ? e : new Refusal(0) });
    }
  };
  const can = keyFor('office') && !store.readOnly.value;
  return html`
    <section class="card" id="to-answer">
      <${More} title="Orders to answer" path="/console/office"><span class="pill office">${waiting.length}</span><//>
      <${Table} label="Orders to answer">
        ${oldest.map(
          o => html`
            <tr key=${o.id}>
              <td><a class="c-office" href=${`/console/office/sales-orders/${o.id}`}>${o.number}</a></td>
              <td class="fill">
                ${o.customer_name} <span class="dim">${number(o.quantity)} × ${o.product_name}</span>
              </td>
              <td class="r num">${money(o.total_minor)}</td>
              ${
                can
                  ? html`
                    <td class="r">
                      <button class="btn small" disabled=${busy === o.id} onClick=${() => accept(o)}>
                        Accept<span class="vh"> ${o.number}</span>
                      </button>
                    </td>
                  `
                  : null
              }
            </tr>
          `,
        )}
      <//>
      ${refusal ? html`<div class="pad"><${Problem} refusal=${refusal} /></div>` : null}
    </section>
  `;
}

const NextMission = ({ m }) => html`
  <li>
    <${Icon} name="circle-dashed" />
    <div>
      <b>${m.title}</b>
      ${m.progress.target > 1 ? html`<span class="count num">${m.progress.current}/${m.progress.target}</span>` : null}
      <p>${m.objective}</p>
    </div>
  </li>
`;

function Missions() {
  const all = store.rows('mission');
  const done = all.filter(m => m.status === 'completed').length;
  const next = all.filter(m => m.status === 'active').slice(0, 4);
  return html`
    <section class="card">
      <${More} title="Missions" path="/console/missions">
        <span class="dim">${all.length ? `${done} of ${all.length}` : ''}</span>
      <//>
      <div class="pad">
        <div class="bar-track ok" role="img" aria-label=${`${done} of ${all.length} missions completed`}>
          <i style=${{ transform: `scaleX(${all.length ? done / all.length : 0})` }} />
        </div>
      </div>
      ${
        store.loaded.value
          ? html`<ul class="next">${next.map(m => html`<${NextMission} key=${m.id} m=${m} />`)}</ul>`
          : html`<${SkeletonRows} rows=${3} />`
      }
    </section>
  `;
}

// shortPath is a path with names instead of ids, where this tab knows them.
const shortPath = path =>
  path
    .replace('/v1', '')
    .split('/')
    .map(part => nameOf(part) ?? part)
    .join('/');

function Calls() {
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${4} />`;
  if (!store.calls.value.length)
    return html`
      <${Empty} icon="send" title="No requests yet"><p>Requests from your programs appear here.</p><//>
    `;
  const row = r => html`
    <tr key=${r.id}>
      <td><${Seen} r=${r} /></td>
      <td class="fill" title=${r.path}>
        <span class="verb">${r.method}</span> <code>${shortPath(r.path)}</code>
      </td>
      <td class="r dim num">${r.duration_ms} ms</td>
      <td class="r dim num"><${Ago} at=${r.created_at} /></td>
    </tr>
  `;
  return html`<table class="tbl"><tbody>${store.calls.value.slice(0, newestMost).map(row)}</tbody></table>`;
}

const Requests = () => html`
  <section class="card"><${More} title="Requests" path="/console/requests" /><${Calls} /></section>
`;

function Sent() {
  const list = store.rows('webhook_delivery');
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${4} />`;
  if (!list.length)
    return html`
      <${Empty} icon="webhook" title="No deliveries yet">
        <p>Subscribe a URL to receive events.</p>
        <a class="btn small" href="/console/webhooks">Add a webhook</a>
      <//>
    `;
  const row = d => html`
    <tr key=${d.id}>
      <td>
        ${
          d.status_code || d.error_class
            ? html`<${Http} status=${d.status_code} code=${d.error_class} />`
            : html`<span class="http calm">${d.status}</span>`
        }
      </td>
      <td class="fill"><code>${d.event_type}</code></td>
      <td class="r dim num">${d.latency_ms == null ? `try ${d.attempt}` : `${d.latency_ms} ms`}</td>
    </tr>
  `;
  return html`<table class="tbl"><tbody>${list.slice(0, newestMost).map(row)}</tbody></table>`;
}

const Deliveries = () => html`
  <section class="card"><${More} title="Deliveries" path="/console/webhooks" /><${Sent} /></section>
`;

// reasonsMost is how many reasons for a change of cash are named.
const reasonsMost = 6;

// spans are those of which a change of cash is explained.
const spans = [
  ['yesterday', 'Yesterday'],
  ['days', `${movedDays} days`],
  ['opening', 'Since the opening'],
];

// spanText is a span in a sentence, on a day of the company.
const spanText = (span, day) => {
  if (span !== 'days') return { yesterday: 'yesterday', opening: 'since the opening' }[span];
  return day === 0 ? 'today' : `in ${Math.min(movedDays, day + 1)} working days`;
};

const changeText = total =>
  total ? `Cash ${total < 0 ? 'fell' : 'rose'} by ${roundMoney(Math.abs(total))}` : 'Cash did not change';

const Spans = ({ span, choose }) => html`
  <div class="seg" role="radiogroup" aria-label="Explain the change of cash">
    ${spans.map(
      ([name, text]) => html`
        <button type="button" role="radio" aria-checked=${span === name} onClick=${() => choose(name)}>${text}</button>
      `,
    )}
  </div>
`;

// Kinds are the entries of the ledger, added up by their kinds, the largest first.
const Kinds = ({ entries }) => html`
  <ul class="chips">
    ${kindsOf(entries)
      .slice(0, reasonsMost)
      .map(
        ([kind, sum, count]) => html`
          <li>
            <a
              class="pill calm"
              href="/console/office/ledger"
              title=${`${count} ${count === 1 ? 'entry' : 'entries'}`}
              onClick=${() => show(kind)}
            >
              ${sentence(kind)} <b class=${`num ${sum < 0 ? 'c-red' : 'c-green'}`}>${signed(sum)}</b>
            </a>
          </li>
        `,
      )}
    <li><a class="more" href="/console/office/ledger">Ledger <${Icon} name="chevron-right" size=${14} /></a></li>
  </ul>
`;

// Lost is the income that expired orders would have brought, and why they expired. Where it is most of the matter, it
// says so.
function Lost({ orders, total }) {
  if (!orders.length) return null;
  const worth = worthOf(orders);
  const mostly = total < 0 && worth > -total / 2;
  const reasons = [...Map.groupBy(orders, o => missedBy(o))].map(([why, of]) => `${number(of.length)} ${why}`);
  return html`
    <p id="lost">
      ${mostly ? html`<b>Mostly the income is missing:</b> ` : null}
      <a href="/console/office/sales-orders" onClick=${() => show('expired')}>
        ${number(orders.length)} sales ${orders.length === 1 ? 'order' : 'orders'} worth ${roundMoney(worth)} expired
      </a>
      <span class="dim">: ${reasons.join(', ')}</span>
    </p>
  `;
}

// Moved says what moved cash: income and spending, the entries of the ledger by their kinds, and the income that was
// lost. It counts the records that this tab holds, and says less where that is not all of them.
function Moved() {
  const [span, choose] = useState('days');
  const s = store.status.value;
  const today = store.present.value?.sim_date;
  const all = store.rows('ledger_entry').filter(e => e.kind !== 'opening_balance');
  if (!today || !all.length) return null;
  const within = withinSpan(span, today);
  const whole = span !== 'opening' || store.whole('ledger_entry');
  const entries = all.filter(e => within(e.entry_on));
  const sum = of => of.reduce((n, e) => n + e.amount_minor, 0);
  const total = span === 'opening' ? s.cash_minor - s.opening_cash_minor : sum(entries);
  const income = sum(entries.filter(e => e.amount_minor > 0));
  const orders = store.rows('sales_order').filter(o => o.status === 'expired' && within(lapsedOn(o)));
  const day = s.clock.day_number;
  return html`
    <div class="pad moved">
      <div class="moved-h">
        <p><b>${changeText(total)}</b><span class="dim"> ${spanText(span, day)}</span></p>
        <span class="grow" />
        ${day > 0 ? html`<${Spans} span=${span} choose=${choose} />` : null}
      </div>
      ${
        whole
          ? html`
            <p id="income">
              Income <b class=${`num ${income ? 'c-green' : 'c-red'}`}>${roundMoney(income)}</b>, spending${' '}
              <b class="num">${roundMoney(income - total)}</b>
            </p>
            <${Kinds} entries=${entries} />
          `
          : html`<p class="dim">The <a href="/console/office/ledger">ledger</a> has all of its entries.</p>`
      }
      ${span !== 'opening' || store.whole('sales_order') ? html`<${Lost} orders=${orders} total=${total} />` : null}
    </div>
  `;
}

// Danger is one line that says what threatens the company, where something does. Where players are compared it would
// play for them.
function Danger() {
  const s = store.status.value;
  const today = store.present.value?.sim_date;
  if (!s || !today || s.evaluation || store.ended.value || !keyFor('office')) return null;
  const danger = dangerOf(s, store.rows('sales_order'), store.rows('ledger_entry'), today, !store.readOnly.value);
  if (!danger) return null;
  const { text, href, name, state } = danger;
  return html`
    <div class="problem bad" id="danger" role="status">
      <${Icon} name="triangle-alert" />
      <div><b>${text}</b></div>
      <a class="btn small" href=${href} onClick=${() => show(state)}>${name}</a>
    </div>
  `;
}

export function Page() {
  const [one, open] = useState('');
  return html`
  <h1 class="vh">Overview</h1>
  <${Danger} />
  <${Tiles} />
  <div class="cols overview">
    <div class="col">
      <${First} />
      <${Attention} />
      <${Waiting} />
      <${Plots} below=${html`<${Moved} />`} />
      <div class="pair"><${Requests} /><${Deliveries} /></div>
    </div>
    <div class="col"><${Feed} limit=${120} one=${one} open=${open} /><${Missions} /></div>
  </div>
`;
}
