// Attention: the cost of each problem, and the request that fixes it. The way of the first order is in this file too,
// which is long for it: each file that the first page needs is one more request before anything is seen.
import { signal, useEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { Refusal, afterWrite, call } from '../lib/api.js';
import { keyFor, session } from '../lib/session.js';
import * as store from '../lib/store.js';
import { nameOf, resourceOf } from '../lib/navigate.js';
import { day, number, plain, roundMoney, sentence } from '../lib/format.js';
import { Code, Problem, Rest, Skeleton, sending, useAsked } from './parts.js';

// systemOf is the system whose key a path requires; what is shared takes either.
export const systemOf = path => /^\/(office|factory)\//.exec(path)?.[1] ?? 'shared';

// labelOf is the name of a record as this tab knows it, or as the server gives it.
const labelOf = r => nameOf(r.id) ?? (r.number || `${sentence(r.resource)} ${r.id}`);

// recordsOf are the records of an item, with the pages that show them, and how many there are
// beyond them.
export const recordsOf = item => ({
  records: item.records.map(r => ({
    id: r.id,
    system: r.system,
    name: r.resource === 'payroll_run' ? `Week of ${day(r.number)}` : labelOf(r),
    href: r.resource === 'webhook' ? `/console/webhooks/${r.id}` : `/console${r.path}`,
  })),
  more: item.record_count - item.records.length,
});

// titles say what an item is about, for one record and for several, and for one whose name is known.
const titles = {
  cash_negative: ['Cash is below zero'],
  orders_lapse: ['An order expires unanswered', 'Orders expire unanswered'],
  orders_late: ['An accepted order is due or overdue', 'Accepted orders are due or overdue'],
  lots_due: ['A contract lot is due', 'Contract lots are due'],
  press_down: ['A press is down', 'Presses are down', name => `${name} is down`],
  press_idle: ['A press is idle', 'Presses are idle', name => `${name} is idle`],
  no_operator: ['No operator is at work'],
  role_vacant: ['A role is vacant', 'Roles are vacant', role => `The role ${role} is vacant`],
  material_missing: ['Work waits for material'],
  material_low: ['A material runs low', 'Materials run low', name => `${name} runs low`],
  purchase_unapproved: ['A purchase order needs approval', 'Purchase orders need approval'],
  truck_waits: ['A truck waits at the gate', 'Trucks wait at the gate'],
  goods_wait: ['Finished goods are not shipped'],
  bill_wrong: ['A supplier bill does not match its order', 'Supplier bills do not match their orders'],
  bill_repeated: ['A supplier bill has come twice', 'Supplier bills have come twice'],
  bill_due: ['A supplier bill is due', 'Supplier bills are due'],
  wages_due: ['Wages are due'],
  invoice_disputed: ['A customer disputes an invoice', 'Customers dispute invoices'],
  reputation_low: ['Reputation is low'],
  morale_low: ['Morale is low'],
  webhook_silent: ['A webhook receives no events', 'Webhooks receive no events'],
};

// titleOf is the title of an item, also of a kind that is new.
export const titleOf = ({ kind, record_count: n, records = [], command }) => {
  const [one, many = one, named] = titles[kind] ?? [sentence(kind)];
  if (n > 1) return many;
  const name = kind === 'role_vacant' ? command?.body?.role : records.length && nameOf(records[0].id);
  return named && name ? named(name) : one;
};

// grouped puts items of one kind that follow each other together, unless they are urgent or over: they have one title
// with their count.
export const grouped = items =>
  items.reduce((groups, item) => {
    const last = groups.at(-1);
    const alike = i => i.kind === item.kind && !i.urgent && !i.over;
    if (last && alike(item) && alike(last[0])) last.push(item);
    else groups.push([item]);
    return groups;
  }, []);

// titleOfGroup is the title of items of one kind.
export const titleOfGroup = ([item, ...more]) => {
  if (!more.length) return titleOf(item);
  const many = titles[item.kind]?.[1] ?? sentence(item.kind);
  return `${number(1 + more.length)} ${many[0].toLowerCase()}${many.slice(1)}`;
};

// costBy is the evening that costs are counted to: that of the next working day.
export const costBy = today =>
  new Date(`${today}T00:00:00Z`).getUTCDay() === 5 ? 'Monday evening' : 'tomorrow evening';

// few is how many items are shown at first, urgent or not.
const few = 3;

// shownFirst is how many groups are shown at first: all that are urgent, and a few at least.
export const shownFirst = groups => Math.max(few, groups.findLastIndex(([i]) => i.urgent && !i.over) + 1);

// costText is the cost of an item, '' without a price.
export const costText = item => (item.cost_minor > 0 ? roundMoney(item.cost_minor) : '');

// commandNames are the buttons' texts for the commands.
const commandNames = {
  accept_sales_order: 'Accept it',
  decline_sales_order: 'Decline it',
  start_print_run: 'Start the run',
  create_factory_shipment: 'Ship it',
  create_factory_goods_receipt: 'Count it in',
  create_purchase_order: 'Order it',
  approve_purchase_order: 'Approve it',
  approve_requisition: 'Approve it',
  pay_supplier_invoice: 'Pay it',
  run_payroll: 'Pay the wages',
  hire_employee: 'Hire',
  advance_time: 'Move the clock',
  test_webhook: 'Send a test',
  update_webhook: 'Enable it',
};

// numberOf is the number on paper of the record that a command is about, as far as this tab knows it.
const numberOf = ({ path = '', body = {} }) =>
  [...path.split('/'), ...Object.values(body ?? {})]
    .filter(part => typeof part === 'string')
    .map(id => store.row(resourceOf(id), id))
    .map(r => r?.number ?? r?.purchase_order_number)
    .find(Boolean);

// buttonOf is the button's text for a command.
export const buttonOf = command => {
  const closes = command.body?.duplicate_of && 'Close it as a duplicate';
  const name = closes || (commandNames[command.operation] ?? sentence(command.operation));
  return name.replace(/\bit\b/, numberOf(command) ?? 'it');
};

// steps are the commands as idempotency keys call them.
const steps = {
  accept_sales_order: 'accept',
  decline_sales_order: 'decline',
  start_print_run: 'print',
  create_factory_shipment: 'ship',
  create_factory_goods_receipt: 'count',
  create_purchase_order: 'buy',
  run_payroll: 'wages',
  pay_supplier_invoice: 'pay',
  hire_employee: 'hire',
  advance_time: 'tick',
};

// idempotencyKeyOf names the step of a command and its record, with an ordinal read from the record where another run
// may follow. What has no record takes the in-world moment. A PATCH needs none.
export function idempotencyKeyOf(command) {
  const { operation, method, path, body } = command;
  if (method !== 'POST') return '';
  const { work_order_id, work_order_ids, requisition_id, delivery_id, week_start, role, lines } = body ?? {};
  const id = /\/([a-z]+_[^/]+)/.exec(path)?.[1] ?? work_order_id ?? requisition_id ?? delivery_id ?? week_start;
  const nameOfRow = of => store.row(resourceOf(of), of)?.number ?? of;
  const parts = [steps[operation] ?? operation.split('_')[0]];
  if (work_order_ids) parts.push(...work_order_ids.map(nameOfRow));
  else if (id) parts.push(nameOfRow(id));
  else {
    const { sim_date, sim_time } = store.status.value?.clock ?? {};
    parts.push(role ?? lines?.[0]?.sku, sim_date, sim_time?.replace(':', ''));
  }
  if (operation === 'start_print_run') {
    const runs = [work_order_id, ...(work_order_ids ?? [])].map(
      of => store.row('work_order', of)?.print_run_ids.length,
    );
    parts.push(1 + runs.reduce((sum, n) => sum + (n ?? 0), 0));
  }
  return parts.filter(Boolean).join('-');
}

// curlOf is the whole request of a command, for a terminal.
export const curlOf = command => {
  const { method, path, body, key = idempotencyKeyOf(command) } = command;
  return sending(method, path, { system: systemOf(path) === 'factory' ? 'factory' : 'office', key, body });
};

// canSend reports whether this tab has the key that a command requires.
const canSend = command => !!keyFor(systemOf(command.path));

// send sends a command as it was proposed.
const send = command =>
  call(`/v1${command.path}`, { key: keyFor(systemOf(command.path)), method: command.method, body: command.body });

// attentionPause is the least time between two reads of what needs attention, in ms.
const attentionPause = 4000;

// linkedIn is a message with links where it names records, and the records that it does not name.
function linkedIn(message, records) {
  const named = records.filter(r => message.includes(r.name));
  const parts = named.reduce(
    (texts, r) =>
      texts.flatMap(t => {
        const at = typeof t === 'string' ? t.indexOf(r.name) : -1;
        if (at < 0) return [t];
        return [
          t.slice(0, at),
          html`<a class=${`c-${r.system}`} href=${r.href}>${r.name}</a>`,
          t.slice(at + r.name.length),
        ];
      }),
    [message],
  );
  return { parts, rest: records.filter(r => !named.includes(r)) };
}

function NeedRecords({ records, more }) {
  if (!records.length) return null;
  return html`
    <p class="trail">
      ${records.map(r => html`<a class=${`c-${r.system}`} href=${r.href}>${r.name}</a>`)}
      ${more > 0 ? html`<span class="dim">and ${number(more)} more</span>` : null}
    </p>
  `;
}

// Mend is the request that mends something, with what it does and spends: to be sent from here,
// or copied. before is awaited first; sent is called with the button's text and the id of the request.
export function Mend({ command, before, sent }) {
  const [{ busy, refusal }, set] = useState({ busy: false, refusal: null });
  const [shown, show] = useState(false);
  const name = buttonOf(command);
  const mend = async () => {
    set({ busy: true, refusal: null });
    try {
      await before?.();
      const { meta } = await send(command);
      say(`${name}: done`);
      sent?.(name, meta?.request_id);
      set({ busy: false, refusal: null });
    } catch (e) {
      set({ busy: false, refusal: e instanceof Refusal ? e : new Refusal(0) });
    }
  };
  return html`
    <div class="mend">
      ${command.effect ? html`<p>${plain(command.effect)}</p>` : null}
      <div class="row-actions">
        ${
          canSend(command) && !store.readOnly.value
            ? html`
              <button class="btn small" disabled=${busy} aria-busy=${busy} onClick=${mend}>
                <${Icon} name="zap" size=${13} />${busy ? 'Sending…' : name}
              </button>
            `
            : html`<b>${name}</b>`
        }
        <button class="btn small" aria-expanded=${shown} onClick=${() => show(!shown)}>
          <${Icon} name="terminal" size=${13} />Show the request<span class="vh">: ${name}</span>
        </button>
      </div>
      ${shown ? html`<${Code} what=${name} text=${curlOf(command)} />` : null}
      ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    </div>
  `;
}

// Item is the text of one item, with its records, and the request that mends it. One of several is short.
function Item({ item, short }) {
  const { records, more } = recordsOf(item);
  const { effect, ...command } = item.command ?? {};
  const { parts, rest } = linkedIn(plain(item.message), records);
  const does = effect ? linkedIn(plain(effect), rest) : { parts: [], rest };
  return html`
    <div class="need">
      ${short ? html`<p>${parts} ${does.parts}</p>` : html`<p>${parts}</p>`}
      ${short || !effect ? null : html`<p>${does.parts}</p>`}
      <${NeedRecords} records=${does.rest} more=${more} />
      ${item.command ? html`<${Mend} command=${command} />` : null}
    </div>
  `;
}

const Need = ({ group }) => {
  const [item] = group;
  const cost = Math.max(...group.map(i => i.cost_minor));
  return html`
    <li class=${group.length > 1 ? 'several' : ''}>
      <p class="need-h">
        <b>${titleOfGroup(group)}</b>
        ${item.urgent ? html`<span class="pill bad"><i class="dot" aria-hidden="true" />urgent</span>` : null}
        ${cost > 0 ? html`<span class="pill warn num">about ${costText({ cost_minor: cost })}</span>` : null}
      </p>
      ${group.map(i => html`<${Item} key=${keyOf(i)} item=${i} short=${group.length > 1} />`)}
    </li>
  `;
};

const Turn = ({ t }) => html`
  <li>
    <p class="need-h">
      <span class="dim num">${day(t.sim_date)}</span>
      ${t.seq == null ? null : html`<span class="dim num">event ${t.seq}</span>`}
    </p>
    <p>${plain(t.message)}</p>
  </li>
`;

const keyOf = item => `${item.kind} ${item.command?.operation ?? ''} ${item.records[0]?.id ?? item.message}`;

// settled is the list as it stood, with what is gone marked as over and what is new at its end.
export function settled(before, now) {
  const there = new Map(now.map(item => [keyOf(item), item]));
  const stood = new Set(before.map(keyOf));
  return [
    ...before.map(item => there.get(keyOf(item)) ?? { ...item, over: true }),
    ...now.filter(item => !stood.has(keyOf(item))),
  ];
}

// touchRest is how long a list keeps its order after a finger was on it, in ms.
const touchRest = 3000;

// useStill keeps a list from moving while a pointer or the focus is in it: a second click would hit
// something else than the first.
function useStill(items) {
  const [held, hold] = useState(false);
  const shown = useRef(items);
  const timer = useRef(0);
  shown.current = held ? settled(shown.current, items) : items;
  const keep = () => {
    clearTimeout(timer.current);
    hold(true);
  };
  const leave = rest => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => hold(false), rest);
  };
  return {
    items: shown.current,
    still: {
      onPointerEnter: keep,
      onPointerLeave: e => leave(e.pointerType === 'mouse' ? 0 : touchRest),
      onFocusIn: keep,
      onFocusOut: e => e.currentTarget.contains(e.relatedTarget) || leave(touchRest),
    },
  };
}

const Over = ({ item }) => html`
  <li class="over">
    <p class="need-h"><b>${titleOf(item)}</b> <${Icon} name="circle-check" size=${14} /></p>
    <p>${item.command ? `${buttonOf(item.command)}: done, or no longer needed.` : 'It is over.'}</p>
  </li>
`;

function Needs({ items: present }) {
  const [all, show] = useState(false);
  const { items, still } = useStill(present);
  if (!items.length)
    return html`<p class="pad calm-line"><${Icon} name="circle-check" size=${16} />Nothing needs attention.</p>`;
  const groups = grouped(items);
  const first = shownFirst(groups);
  const rest = groups.length - first;
  return html`
    <ol class="needs" ...${still}>
      ${(all ? groups : groups.slice(0, first)).map(g =>
        g[0].over ? html`<${Over} key=${keyOf(g[0])} item=${g[0]} />` : html`<${Need} key=${keyOf(g[0])} group=${g} />`,
      )}
    </ol>
    ${rest > 0 ? html`<${Rest} rest=${rest} all=${all} show=${show} />` : null}
  `;
}

const happened = () => `${store.status.value.last_seq} ${store.present.value.sim_date} ${store.ended.value}`;

// useNeeds asks what needs attention, and again when something has happened: at once after a write of this tab, since
// a request that it proposed may be refused by now.
export function useNeeds(stamp = happened()) {
  const asked = useAsked('/console/data/attention', stamp, attentionPause);
  useEffect(() => {
    afterWrite.add(asked.ask);
    return () => afterWrite.delete(asked.ask);
  }, []);
  return asked;
}

function AskedNeeds() {
  const { data, refusal, ask } = useNeeds();
  if (!data && !refusal) return html`<div class="pad"><${Skeleton} width="60%" /></div>`;
  if (!data) return html`<div class="pad"><${Problem} refusal=${refusal} retry=${ask} /></div>`;
  if (data.history.length)
    return html`<ol class="needs">${data.history.map(t => html`<${Turn} key=${t.message} t=${t} />`)}</ol>`;
  return html`<${Needs} items=${data.items} />`;
}

// Attention is not there where players are compared: it would play for them.
export function Attention() {
  const s = store.status.value;
  if (s?.evaluation) return null;
  return html`
    <section class="card attention" aria-labelledby="attention">
      <div class="card-h">
        <h2 id="attention">${store.ended.value ? 'How it came to this' : 'Needs attention'}</h2>
        ${
          store.ended.value
            ? null
            : html`
              <span class="dim">
                Costs are estimates until ${costBy(store.present.value?.sim_date)}. Do not add them up.
              </span>
            `
        }
      </div>
      ${
        s && session.value
          ? html`<${AskedNeeds} key=${session.value.sandbox_id} />`
          : html`<div class="pad"><${Skeleton} width="60%" /></div>`
      }
    </section>
  `;
}

// The first order, from acceptance to cash: the path of a new user.

// dayMinutes are the working minutes of a day; overs are those of a first run.
const dayMinutes = 480;
const overs = 5;
const underWay = ['shipped', 'in_production', 'accepted'];

// firstOrder is the order to follow: the one that has come farthest, or else the smallest that waits for an answer. An
// order from before the opening is none.
export function firstOrder() {
  const old = new Set(store.rows('office_shipment').flatMap(s => (s.source === 'opening' ? s.sales_order_id : [])));
  const orders = store.rows('sales_order').filter(o => !old.has(o.id));
  const paid = orders.findLast(o => o.status === 'paid');
  const living = underWay.map(status => orders.findLast(o => o.status === status)).find(Boolean);
  const waiting = orders.filter(o => o.status === 'received').sort((a, b) => a.total_minor - b.total_minor);
  return paid ?? living ?? waiting[0];
}

const commandOf = (operation, path, body, effect) => ({ operation, method: 'POST', path, body, effect });

// forward moves a clock that does not run, to when something is expected.
const forward = (effect, until) =>
  store.status.value.clock.mode === 'manual'
    ? commandOf('advance_time', '/sandbox/tick', { minutes: dayMinutes, ...(until && { until }) }, effect)
    : null;

// printing is the step at a press.
function printing(work) {
  if (work?.status === 'printing')
    return {
      text: `The press prints ${work.number}. It is ready after finishing.`,
      command: forward('Moves the clock until the goods are ready, by a day at most.', {
        event_types: ['factory.work_order.ready'],
      }),
    };
  const idle = store.rows('press').filter(p => p.status === 'idle');
  const press = idle.find(p => p.technology === 'digital') ?? idle[0];
  if (!press) return { text: 'All presses are busy or down.', command: forward('Moves the clock by a day.') };
  const body = { press_id: press.id, work_order_id: work?.id, overs_pct: overs };
  return {
    text: `Small jobs belong on the ${press.name.toLowerCase()}: it needs no plates.`,
    command: commandOf('start_print_run', '/factory/print-runs', body, `Prints ${work?.number} on ${press.name}.`),
  };
}

// firstSteps are the way of an order: each step with whether it is done, and the one to do with its command. With a
// manual bridge, what crosses it has a request for a program, and no button.
export function firstSteps(o) {
  const manual = store.status.value.bridge === 'manual';
  const names = [o.id, o.number];
  const work = store.rows('work_order').find(w => names.includes(w.reference));
  const parcel = store.rows('factory_shipment').find(s => names.includes(s.reference) || s.work_order_id === work?.id);
  const bill = store.rows('customer_invoice').find(i => i.sales_order_id === o.id);
  const { sku, quantity, due_date, id } = o;
  const carry = {
    name: 'Carry it',
    done: !!work,
    text: 'The Factory does not know the order yet. Your program sends this request.',
    request: {
      ...commandOf('create_work_order', '/factory/work-orders', { sku, quantity, reference: id, due_date }),
      key: `carry-${id}`,
    },
  };
  const back = {
    name: 'Bridge',
    done: !!bill,
    text: 'Head Office does not know that the goods have shipped. To bill them, your program sends this request.',
    request: {
      ...commandOf('create_office_shipment', '/office/shipments', {
        sales_order_id: id,
        factory_shipment_ref: parcel?.id,
      }),
      key: `carry-${parcel?.id}`,
    },
  };
  return [
    {
      name: 'Accept',
      done: o.status !== 'received',
      text: `${o.customer_name} orders ${number(o.quantity)} × ${o.product_name} for ${roundMoney(o.total_minor)}.`,
      command: commandOf('accept_sales_order', `/office/sales-orders/${o.id}/accept`),
    },
    ...(manual ? [carry] : []),
    { name: 'Print', done: ['ready', 'shipped', 'stocked'].includes(work?.status), ...printing(work) },
    {
      name: 'Ship',
      done: !!parcel,
      text: `${work?.number} is ready for the truck.`,
      command: commandOf('create_factory_shipment', '/factory/shipments', { work_order_id: work?.id }),
    },
    manual ? back : { ...back, text: 'The automatic bridge tells Head Office, which bills the goods.', request: null },
    {
      name: 'Get paid',
      done: o.status === 'paid',
      text: `${o.customer_name} has to pay ${bill?.number} by ${day(bill?.due_date)}.`,
      command: forward('Moves the clock by a working day.'),
    },
  ];
}

const dismissed = signal(false);
const dismissal = () => `platen.first.${session.value.sandbox_id}`;

// The clock waits from the first step that is made here until the order is paid or the card is dismissed: other orders
// would expire meanwhile, unseen.
const holding = () => `platen.clock.${session.value.sandbox_id}`;
const isHeld = () => !!localStorage.getItem(holding()) && store.status.value?.clock.mode === 'manual';

async function hold() {
  if (store.status.value.clock.mode !== 'realtime') return;
  await store.setClock('manual');
  localStorage.setItem(holding(), 'held');
}

async function release() {
  const held = isHeld();
  localStorage.removeItem(holding());
  if (!held || store.readOnly.value) return;
  await store.setClock('realtime').then(
    () => say('The clock runs again'),
    () => {}, // the head has the button
  );
}

function FirstSteps({ o, steps }) {
  const at = steps.findIndex(s => !s.done);
  const now = steps[at];
  useEffect(() => {
    if (!now) release();
  }, [!now]);
  return html`
    <ol class="first-steps">
      ${steps.map(
        (s, i) => html`
          <li class=${s.done ? 'done' : ''} aria-current=${i === at ? 'step' : undefined}>
            <${Icon} name=${s.done ? 'circle-check' : i === at ? 'circle-dashed' : 'circle'} size=${15} />
            ${s.name}<span class="vh">${s.done ? ': done' : ''}</span>
          </li>
        `,
      )}
    </ol>
    ${
      now
        ? html`
          <div class="pad first-now">
            <p>${now.text}</p>
            ${now.command ? html`<${Mend} key=${`${o.id} ${at}`} command=${now.command} before=${hold} />` : null}
            ${now.request ? html`<${Code} what=${now.name} text=${curlOf(now.request)} />` : null}
            ${isHeld() ? html`<p class="dim" id="first-held">The clock waits while you follow this order.</p>` : null}
          </div>
        `
        : html`
          <p class="pad">
            ${o.number} went from acceptance to cash. The <a href="/console/missions">missions</a> say what to try next.
          </p>
        `
    }
  `;
}

// First follows one order from acceptance to cash. It is gone once one was paid earlier, or when it is
// dismissed.
export function First() {
  const s = store.status.value;
  const o = s && session.value && firstOrder();
  const [began, begin] = useState(false);
  const open = o && o.status !== 'paid';
  useEffect(() => {
    if (open) begin(true);
  }, [open]);
  const kept = session.value && localStorage.getItem(dismissal());
  if (!o || s.evaluation || store.readOnly.value || dismissed.value || kept || !(open || began)) return null;
  if (!keyFor('office') || !keyFor('factory')) return null;
  const steps = firstSteps(o);
  const missed = store.rows('sales_order').find(x => x.expired_reason === 'delivery_missed');
  const dismiss = () => {
    localStorage.setItem(dismissal(), 'dismissed');
    dismissed.value = true;
    release();
  };
  return html`
    <section class="card first" aria-labelledby="first">
      <div class="card-h">
        <h2 id="first">One order, from acceptance to cash</h2>
        <a class="c-office" href=${`/console/office/sales-orders/${o.id}`}>${o.number}</a>
        <span class="dim num">${steps.filter(s => s.done).length} of ${steps.length}</span>
        <span class="grow" />
        <button class="btn plain small" onClick=${dismiss}><${Icon} name="x" size=${14} label="Dismiss" /></button>
      </div>
      ${
        missed
          ? html`
            <p class="pad dim" id="first-missed">
              ${missed.number} expired: its goods had not shipped by ${day(missed.cancel_after)}. Follow
              ${' '}${o.number} instead.
            </p>
          `
          : null
      }
      <${FirstSteps} o=${o} steps=${steps} />
    </section>
  `;
}
