// The pieces that pages are made of.
import { effect, signal, useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon, copy } from '../lib/html.js';
import { nameOf, onPause, pageOfField } from '../lib/navigate.js';
import { ask as askConsole, now, present, rows, serverNow, status, whole } from '../lib/store.js';
import { Refusal, call } from '../lib/api.js';
import { session } from '../lib/session.js';
import { ago, bearer, clock, day, json, number, quoted, roundMoney, sentence, wallTime, words } from '../lib/format.js';
import { workingDay } from '../lib/format.js';

// curl is a read as a command, with the key of a system from the environment.
export const curl = (path, system = 'office') => `curl -gs ${quoted(`${location.origin}/v1${path}`)} ${bearer(system)}`;
// sending is a request that changes something, with curl; without a body where there is none.
export const sending = (method, path, { system = 'office', key = '', body } = {}) =>
  [
    `curl -gs -X ${method} ${quoted(`${location.origin}/v1${path}`)} ${bearer(system)}`,
    key && `-H "Idempotency-Key: ${key}"`,
    body && `--json ${quoted(json(body))}`,
  ]
    .filter(Boolean)
    .join(' \\\n  ');
export const post = (path, of) => sending('POST', path, of);

export const Ago = ({ at }) => html`
  <time dateTime=${at} title=${`${wallTime(at)} on the wall`}>${ago(at, serverNow.value)}</time>
`;
export const Skeleton = ({ width = '6rem' }) => html`<span class="skel" style=${{ width }} />`;

// tones of statuses: blue has come and waits, violet is under way, green is done or in order, amber
// needs attention, red is broken and can be mended. Grey is over, without anything to do, also where it was lost.
const tones = {
  wait: 'received offered open created pending draft pending_approval upcoming none partial armed',
  work: 'accepted in_production printing running approved billed',
  ok:
    'completed ready shipped paid active delivered executed recorded ok full matched fulfilled unlocked stocked ' +
    'delivery.received market_delivery.received',
  warn:
    'overdue late due low arrived pending_verification below_reorder_point deferred sick lore_event.running ' +
    'quantity_mismatch price_mismatch quantity_and_price_mismatch no_receipt',
  bad: 'failed dropped disabled rejected down disputed bankrupt missed lost',
  calm: 'declined expired closed deleted idle over left not_applicable cancelled',
};
const toneBy = new Map(Object.entries(tones).flatMap(([tone, all]) => all.split(' ').map(status => [status, tone])));

// toneOf is the tone of a status, which can mean something else in the records of one resource.
export const toneOf = (status, resource) => toneBy.get(`${resource}.${status}`) ?? toneBy.get(status) ?? 'calm';
export function Status({ is, of, late }) {
  if (!is) return html`<span class="dim">${'\u2013'}</span>`;
  const tone = late ? 'bad' : toneOf(is, of);
  return html`<span class=${`pill ${tone}`}><i class="dot" aria-hidden="true" />${words(is)}</span>`;
}

// dueDates are the days by which something must have happened, as long as its record is not settled.
export const dueDates = ['due_date', 'deliver_by', 'expected_on', 'needed_by', 'answer_by'];
const settled = 'paid shipped delivered stocked closed declined expired rejected'.split(' ');
const answered = 'received offered'.split(' ');

// waitedMost is how many working days a truck may wait at the gate.
const waitedMost = 1;

// isLate reports whether a due date of a record has passed on a day of the company, or a truck waits for too long.
export const isLate = (r, name, today) =>
  name === 'arrived_on'
    ? r.status === 'arrived' && !!today && workingDay(today) - workingDay(r.arrived_on) > waitedMost
    : isOverdue(r, name, today);

const isOverdue = (r, name, today) =>
  dueDates.includes(name) &&
  !!today &&
  r[name] < today &&
  (r.receipt_status ?? 'none') === 'none' &&
  (name === 'answer_by' ? answered.includes(r.status) : !settled.includes(r.status));

// Day is a day of the company, which is red where it has passed too early.
export const Day = ({ r, name }) =>
  isLate(r, name, present.value?.sim_date)
    ? html`<b class="num c-red">${day(r[name])}<span class="vh"> overdue</span></b>`
    : html`<span class="num">${day(r[name])}</span>`;

export const Http = ({ status, code }) => html`
  <span class=${`http ${status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 200 ? 'ok' : 'bad'}`}>
    ${status || code}
  </span>
`;

// Seen is the status of the response to a request, struck through where a fault kept it from the client.
export const Seen = ({ r }) =>
  r.faults?.includes('response_lost')
    ? html`<s title="Response lost"><${Http} status=${r.status} /><span class="vh"> response lost</span></s>`
    : html`<${Http} status=${r.status} />`;

export function Copy({ text, what, small = true, label = 'Copy' }) {
  const [done, set] = useState(false);
  return html`
    <button
      type="button"
      class=${`btn ${small ? 'small' : ''}`}
      onClick=${async e => {
        e.stopPropagation();
        set(await copy(text, what));
        setTimeout(() => set(false), 2000);
      }}
    >
      <${Icon} name=${done ? 'check' : 'copy'} size=${13} />
      ${done ? 'Copied' : label}
      <span class="vh"> ${what}</span>
    </button>
  `;
}

// readOnly is a link to a page for a reviewer: its address with a token that the server makes of both keys.
export async function readOnly(path) {
  const token = session.value.review ?? (await askConsole('/console/data/review')).data.token;
  return `${location.origin}${path}#${token}`;
}

// Share copies a read-only link to a page. Without the keys of both systems it copies the address, which asks for keys.
export function Share({ path, what }) {
  const [done, set] = useState(false);
  const take = async e => {
    e.stopPropagation();
    const link = await readOnly(path).catch(() => '');
    set(
      await copy(
        link || location.origin + path,
        link ? `Read-only link to ${what}` : `Address of ${what}, without keys,`,
      ),
    );
    setTimeout(() => set(false), 2000);
  };
  return html`
    <button type="button" class="btn small" id="share" onClick=${take}>
      <${Icon} name=${done ? 'check' : 'link'} size=${13} />
      ${done ? 'Copied' : 'Copy link'}
      <span class="vh"> to ${what}</span>
    </button>
  `;
}

// Code shows a text to be copied.
export const Code = ({ text, what, children }) => html`
  <div class="code">
    <pre tabindex="0" aria-label=${what}><code>${children ?? text}</code></pre>
    <${Copy} text=${text} what=${what} />
  </div>
`;

// Ref shows an id as a link to its record, by its name or number where that is known. Without a
// page it is a text.
export function Ref({ id, field = '', system, raw }) {
  const page = pageOfField(field, id, system);
  const name = raw ? undefined : nameOf(id);
  const shown = name ?? (raw || id.length < 19 ? id : `${id.slice(0, 12)}\u2026`);
  const text = name && !/^[A-Z]+-\d+$/.test(name) ? shown : html`<code>${shown}</code>`;
  return page ? html`<a class="ref-link" href=${page} title=${id}>${text}</a>` : html`<span title=${id}>${text}</span>`;
}

// Json colours a value's JSON without any markup of its own. What it says of other records is linked.
export function Json({ value, what, system }) {
  const text = JSON.stringify(value, null, 2);
  const pieces = [];
  let at = 0;
  let name = '';
  for (const m of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?/g)) {
    pieces.push(text.slice(at, m.index));
    at = m.index + m[0].length;
    const kind = m[2] ? 'k' : m[1] ? 's' : m[3] ? 'b' : 'n';
    if (m[2]) name = m[1].slice(1, -1);
    const page = kind === 's' && pageOfField(name, m[1].slice(1, -1), system);
    if (page) pieces.push(html`<a class="s" href=${page}>${m[1]}</a>`);
    else pieces.push(html`<span class=${kind}>${m[1] ?? m[0]}</span>${m[2] ?? ''}`);
  }
  pieces.push(text.slice(at));
  return html`<${Code} text=${text} what=${what}>${pieces}<//>`;
}

export const Empty = ({ icon, title, children }) => html`
  <div class="empty"><${Icon} name=${icon} size=${24} /><b>${title}</b>${children}</div>
`;

// Problem shows a refusal: what happened, its code and request, where to read
// on, and when to try again.
export function Problem({ refusal, retry }) {
  const wait = refusal.retryAt ? Math.max(0, Math.ceil((refusal.retryAt - now.value) / 1000)) : 0;
  return html`
    <div class="problem bad" role="alert">
      <${Icon} name="triangle-alert" />
      <div>
        <b>${refusal.message}</b>
        ${refusal.hint ? html`<p>${refusal.hint}</p>` : null}
        <p class="ids">
          <code>${refusal.code}</code>
          ${refusal.requestID ? html`<code>${refusal.requestID}</code>` : null}
          ${refusal.docsURL ? html`<a href=${refusal.docsURL}>What this means</a>` : null}
          ${wait ? html`<span>try again in ${clock(wait)}</span>` : null}
        </p>
      </div>
      ${retry ? html`<button class="btn small" disabled=${wait > 0} onClick=${retry}>Try again</button>` : null}
    </div>
  `;
}

export const EventType = ({ type }) => {
  const i = type.lastIndexOf('.');
  return html`<code class="type"><span>${type.slice(0, i + 1)}</span>${type.slice(i + 1)}</code>`;
};

// filterBox is the one field that `/` goes to.
export const FilterBox = ({ value, onInput, label }) => html`
  <label class="find">
    <${Icon} name="search" size=${14} />
    <span class="vh">${label}</span>
    <input
      data-filter
      autocomplete="off"
      spellcheck="false"
      placeholder=${label}
      value=${value}
      onInput=${e => onInput(e.target.value)}
    />
    <kbd aria-hidden="true">/</kbd>
  </label>
`;

export const SkeletonRows = ({ rows = 6, widths = ['4rem', '60%', '3rem'] }) => html`
  <table class="tbl" aria-hidden="true">
    <tbody>
      ${Array.from(
        { length: rows },
        () => html`
          <tr>${widths.map((w, i) => html`<td class=${i === 1 ? 'fill' : ''}><${Skeleton} width=${w} /></td>`)}</tr>
        `,
      )}
    </tbody>
  </table>
`;

// Table scrolls inside of its card. A heading is its text, or the text and the
// class of its column.
export const Table = ({ label, head, children }) => html`
  <div class="scroll" tabindex="0" role="region" aria-label=${label}>
    <table class="tbl">
      ${head ? html`<thead><tr>${head.map(heading)}</tr></thead>` : null}
      <tbody>${children}</tbody>
    </table>
  </div>
`;
const heading = of => {
  const [text, kind] = [of].flat();
  return html`<th class=${kind} scope="col">${text}</th>`;
};

// Rest shows the rest of a list, or hides it again.
export const Rest = ({ rest, all, show }) => html`
  <div class="pad">
    <button class="btn small" aria-expanded=${all} onClick=${() => show(!all)}>
      ${all ? 'Show less' : `Show ${number(rest)} more`}
    </button>
  </div>
`;

// Notice says how something went.
export const Notice = ({ good, title, id, children }) => html`
  <div class=${`problem ${good ? 'ok' : 'warn'}`} id=${id} role="status">
    <${Icon} name=${good ? 'circle-check' : 'triangle-alert'} />
    <div><b>${title}</b>${children}</div>
  </div>
`;

// Hold keeps a list still that would otherwise move on; `p` does the same.
export const Hold = ({ held, flip }) => html`
  <button class="btn small" aria-pressed=${held} onClick=${flip}>
    <${Icon} name=${held ? 'play' : 'pause'} size=${13} />
    ${held ? 'Resume' : 'Pause the list'} <kbd aria-hidden="true">p</kbd>
  </button>
`;

// useHeld holds a list still, at will and while its row with the id one is open. To resume closes the row.
export function useHeld(newest, one, close) {
  const [held, hold] = useState(null);
  const byRow = useRef(false);
  const has = list => list.some(r => r.id === one);
  const flip = () => {
    byRow.current = false;
    hold(held ? null : newest);
    if (held && one) close();
  };
  useLayoutEffect(() => {
    if (one ? !(held && has(held)) && has(newest) : byRow.current) {
      byRow.current = !!one;
      hold(one ? newest : null);
    }
  }, [one, newest]);
  useLayoutEffect(() => {
    onPause.current = flip;
  });
  useLayoutEffect(
    () => () => {
      onPause.current = null;
    },
    [],
  );
  return { held, list: held ?? newest, flip };
}

// useSeen brings a row into view when it is opened.
export function useSeen(open) {
  const row = useRef();
  useLayoutEffect(() => {
    if (open) row.current.scrollIntoView({ block: 'nearest' });
  }, [open]);
  return row;
}

// useAsked reads a route of the console, or with a key one of the API, at once and whenever the
// stamp changes, but rests for a pause in ms between two reads. It returns what was read last and,
// if the last read failed, why.
export function useAsked(path, stamp, pause, key) {
  const [told, tell] = useState({ data: null, refusal: null });
  const own = useRef({ last: -Infinity, asks: 0, control: new AbortController() }).current;
  const ask = async () => {
    own.last = performance.now();
    const n = ++own.asks;
    // A response that comes after that of a later question is outdated.
    const learn = now => n === own.asks && tell(now);
    try {
      const { signal } = own.control;
      const { data } = await (key ? call(path, { key, signal }) : askConsole(path, signal));
      learn({ data, refusal: null });
    } catch (e) {
      if (!own.control.signal.aborted)
        learn(before => ({ ...before, refusal: e instanceof Refusal ? e : new Refusal(0) }));
    }
  };
  useEffect(() => {
    const timer = setTimeout(ask, Math.max(0, own.last + pause - performance.now()));
    return () => clearTimeout(timer);
  }, [path, stamp]);
  useEffect(() => () => own.control.abort(), []);
  return { ...told, ask };
}

// bridgeNow are the gaps of a manual bridge, and the day since which the oldest is one; null where nothing is carried.
// The module that joins the records is loaded for such a bridge only.
const joins = signal(null);
effect(() => {
  if (!joins.value && status.value?.bridge === 'manual') import('./joins.js').then(it => (joins.value = it));
});
export const bridgeNow = () => joins.value?.open.value ?? null;

// The movements of cash and the threats to the company, computed from the records that the tab holds.

// movedDays is how many working days the reasons for a change of cash reach back at first.
export const movedDays = 5;

// withinSpan returns whether a day is in a span: yesterday, the last days with today, or all since the opening.
export const withinSpan = (span, today) => on => {
  const back = workingDay(today) - workingDay(on);
  return span === 'opening' || (span === 'yesterday' ? back === 1 : back < movedDays);
};

// kindsOf adds entries up by their kinds: [kind, sum, count], the largest first.
export function kindsOf(entries) {
  const sums = new Map();
  for (const { kind, amount_minor } of entries) {
    const [sum, count] = sums.get(kind) ?? [0, 0];
    sums.set(kind, [sum + amount_minor, count + 1]);
  }
  return [...sums].map(([kind, added]) => [kind, ...added]).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
}

// lapsedOn is the last day of an expired order: that for an answer, or that for its goods.
export const lapsedOn = o => (o.expired_reason === 'answer_lapsed' ? o.answer_by : o.cancel_after);

// missedBy says what an expired order had waited for, as far as this tab knows.
export function missedBy(o) {
  if (o.expired_reason === 'answer_lapsed') return 'never answered';
  if (!session.value?.factory_key && !session.value?.review) return 'not delivered in time';
  const work = rows('work_order').find(w => w.reference && [o.id, o.number].includes(w.reference));
  if (!work) return whole('work_order') ? 'never sent to the Factory' : 'not delivered in time';
  if (work.quantity_shipped > 0) return 'shipped and never billed';
  return work.quantity_good > 0 ? 'printed and never shipped' : 'never printed';
}

// worthOf is the price of orders together.
export const worthOf = orders => orders.reduce((n, o) => n + o.total_minor, 0);

// dangerDays is how many working days back the fate of orders counts as a danger; as many are left at least before
// falling cash is one.
const dangerDays = 10;
const expiredLeast = 3;
const reputationLeast = 10;

// cashDanger says how cash threatens the company.
function cashDanger(s, ledger, today) {
  const limit = `\u2212${roundMoney(s.overdraft_limit_minor)}`;
  if (s.cash_minor < 0)
    return `Cash is ${roundMoney(-s.cash_minor)} below zero: the company is bankrupt at ${limit}, or if it stays there`;
  if (s.clock.day_number < movedDays) return '';
  const lately = ledger.filter(e => withinSpan('days', today)(e.entry_on)).reduce((n, e) => n + e.amount_minor, 0);
  const days = Math.ceil(((s.cash_minor + s.overdraft_limit_minor) / -lately) * movedDays);
  return lately < 0 && days <= dangerDays ? `At the rate of the last ${movedDays} days, cash lasts ${days} more` : '';
}

// ordersDanger says how many of the orders that were decided lately have expired, where most have.
function ordersDanger(orders, today) {
  const lately = orders.filter(o => {
    const on = o.status === 'expired' ? lapsedOn(o) : o.shipped_on;
    return on && workingDay(today) - workingDay(on) <= dangerDays;
  });
  const expired = lately.filter(o => o.status === 'expired');
  if (expired.length < expiredLeast || expired.length * 2 <= lately.length) return '';
  const unanswered = expired.filter(o => o.expired_reason === 'answer_lapsed').length;
  const some = unanswered ? `, ${number(unanswered)} of them unanswered` : '';
  const how = unanswered === expired.length ? ' unanswered' : some;
  const all = expired.length === lately.length;
  return `${all ? 'all' : number(expired.length)} of the last ${number(lately.length)} orders expired${how}`;
}

// dangerOf is the greatest danger to the company, in a sentence with one way out: {text, href, name, state}, or null.
// state is that of the rows which the list at href shows; answers is whether orders can be answered here.
export function dangerOf(s, orders, ledger, today, answers = true) {
  const cash = cashDanger(s, ledger, today);
  const expiring = ordersDanger(orders, today);
  const liked = s.reputation < reputationLeast ? `reputation is ${number(Math.round(s.reputation))}` : '';
  const facts = [cash, expiring, liked].filter(Boolean);
  if (!facts.length) return null;
  const two = facts.slice(0, 2);
  const text = `${cash ? two.map(sentence).join('. ') : sentence(two.join(', and '))}.`;
  if (cash) return { text, href: '/console/office/ledger', name: 'See the ledger', state: '' };
  const waiting = answers && orders.some(o => o.status === 'received');
  return {
    text,
    href: '/console/office/sales-orders',
    name: waiting ? 'Answer orders' : 'See the orders',
    state: waiting ? 'received' : 'expired',
  };
}
