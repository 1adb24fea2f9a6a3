// Which record of one system belongs to which of the other. A strand is one
// story (an order, a shortage, a delivery, a week); its rungs are the hand-offs.
import { computed } from '../vendor/preact.js';
import { keyFor } from '../lib/session.js';
import * as store from '../lib/store.js';
import { day, money, number, words } from '../lib/format.js';
import { isLate } from './parts.js';

export const handoffs = [
  ['order', 'Orders'],
  ['lot', 'Contract lots'],
  ['requisition', 'Requisitions'],
  ['receipt', 'Receipts'],
  ['week', 'Weeks'],
];

// post is the request that carries a record to a system. Its idempotency key names the record,
// so that carrying it twice makes nothing twice.
const post = (system, list, id, body) => ({
  method: 'POST',
  path: `/${system}/${list}`,
  system,
  key: `carry-${id}`,
  body,
});

// happened is when something happened to a record, on the wall and in the
// company, as far as the feed that is held here goes back.
const happened = (type, r) => {
  const e = store.events.value.find(e => e.type === type && e.data.id === r.id);
  return { since: e?.created_at ?? r.updated_at, on: e?.sim_date ?? r.created_on };
};
const born = r => ({ since: r.created_at, on: r.created_on });
const people = n => `${number(n)} ${n === 1 ? 'person' : 'people'}`;
const nameOf = sku => store.rows('stock_item').find(s => s.sku === sku)?.name ?? sku;
const by = (list, key) => {
  const m = new Map();
  for (const r of list) if (r[key] != null) m.set(r[key], r);
  return m;
};

const grouped = (list, key) => {
  const m = new Map();
  for (const r of list) m.set(r[key], [...(m.get(r[key]) ?? []), r]);
  return m;
};

// rung is a hand-off: a slip of paper on each side, or its substitute.
const rung = (office, factory, join, ghosts = {}) => ({
  office,
  factory,
  join,
  officeGhost: ghosts.office ?? 'not here yet',
  factoryGhost: ghosts.factory ?? 'not here yet',
});
const joined = (way, label) => ({ state: 'joined', way, label });
// A gap has the request that closes it, or none where something else has to come first.
const gap = (way, label, at, request) => ({ state: 'gap', way, label, request, ...at });
const later = (way, label) => ({ state: 'later', way, label });
// A broken hand-off can no longer be closed, and does not count as a gap.
const broken = (way, label, at) => ({ state: 'broken', way, label, ...at });

const strand = (kind, id, title, subtitle, rungs, done, at) => {
  const gaps = rungs.filter(r => r.join.state === 'gap');
  const lost = rungs.filter(r => r.join.state === 'broken').length;
  return {
    kind,
    key: kind + id,
    title,
    subtitle,
    rungs,
    done: done && !gaps.length && !lost,
    gaps: gaps.length,
    lost,
    oldest: gaps.map(r => r.join.since ?? at).sort()[0],
    oldestOn: gaps.flatMap(r => r.join.on ?? []).sort()[0],
    at,
  };
};

// late reports whether the date that a card shows has passed.
const late = r =>
  ['due_date', 'deliver_by', 'needed_by', 'arrived_on'].some(name => isLate(r, name, store.present.value?.sim_date));

// slip is a record as a card shows it.
const slip = (list, r, rest) => ({ list, id: r.id, name: r.number, status: r.status, late: late(r), ...rest });

// partOf is how much of a work order has left or, before that, is printed; null for none and for all.
function partOf(w) {
  if (w.quantity_shipped && w.quantity_shipped < w.quantity) return w.quantity_shipped / w.quantity;
  return w.status === 'printing' ? Math.min(1, (w.quantity_good + w.quantity_from_stock) / w.quantity) : null;
}

const workSlip = w =>
  slip('work-orders', w, {
    title: `${number(w.quantity)} × ${w.product_name}`,
    foot: w.due_date ? `due ${day(w.due_date)}` : '',
    part: partOf(w),
  });
const billSlip = i =>
  slip('customer-invoices', i, {
    title: money(i.total_minor),
    foot: i.paid_on ? `paid ${day(i.paid_on)}` : `due ${day(i.due_date)}`,
  });
const parcelSlip = p => slip('shipments', p, { title: `${number(p.quantity)} sent`, foot: day(p.shipped_on) });
const orderSlip = (list, o) =>
  slip(list, o, {
    title: `${number(o.quantity)} × ${o.product_name}`,
    foot: `${money(o.total_minor)} · due ${day(o.due_date ?? o.deliver_by)}`,
    part: o.quantity_billed && o.quantity_billed < o.quantity ? o.quantity_billed / o.quantity : null,
  });

// kinds are the orders that the Factory works for. Live ones are owed work and a
// bill, ended ones nothing more.
const kinds = {
  order: {
    list: 'sales-orders',
    sold: 'sales_order_id',
    accepted: 'office.sales_order.accepted',
    live: ['accepted', 'in_production', 'shipped'],
    ended: ['paid', 'declined', 'expired'],
  },
  lot: {
    list: 'contract-lots',
    sold: 'contract_lot_id',
    accepted: 'office.contract_lot.accepted',
    live: ['accepted'],
    ended: ['delivered', 'declined', 'expired'],
  },
};

// worked is the first hand-off of an order: the work goes to the Factory.
function worked(kind, o, work) {
  const card = orderSlip(kind.list, o);
  if (work) return rung(card, workSlip(work), joined('right', 'reference'));
  if (kind.live.includes(o.status)) {
    const { sku, quantity, id: reference, due_date = o.deliver_by } = o;
    const request = post('factory', 'work-orders', o.id, { sku, quantity, reference, due_date });
    const join = gap('right', 'no work order', happened(kind.accepted, o), request);
    return rung(card, null, join, { factory: 'not in the Factory yet' });
  }
  const open = o.status === 'received' || o.status === 'offered';
  return rung(card, null, later('right', open ? 'once accepted' : 'nothing to carry'), { factory: '' });
}

// billed are the others: goods that the Factory has shipped come back as a bill, all at once or in parts. A
// parcel is paired with the bill that names it. The rest are paired in their order.
function billed(kind, o, work, parcels, bills) {
  const live = kind.live.includes(o.status);
  const shipment = by(store.rows('office_shipment'), 'id');
  const left = [...bills];
  const take = at => (at < 0 ? undefined : left.splice(at, 1)[0]);
  const names = (bill, parcel) =>
    [parcel.id, parcel.number].includes(shipment.get(bill.shipment_id)?.factory_shipment_ref);
  const pairs = parcels.map(parcel => ({ parcel, bill: take(left.findIndex(bill => names(bill, parcel))) }));
  for (const pair of pairs) pair.bill ??= take(0);
  const sent = parcels.reduce((sum, p) => sum + p.quantity, 0);
  const covered = (o.quantity_billed ?? (bills.length ? o.quantity : 0)) >= Math.min(sent, o.quantity);
  const rungs = pairs.map(({ parcel, bill }) => {
    if (bill) return rung(billSlip(bill), parcelSlip(parcel), joined('left', 'factory_shipment_ref'));
    if (covered) return rung(null, parcelSlip(parcel), joined('left', 'billed with another part'), { office: '' });
    if (!live) {
      const join = broken('left', 'too late to bill', born(parcel));
      return rung(null, parcelSlip(parcel), join, { office: `the order is ${words(o.status)}` });
    }
    const part = parcel.quantity < o.quantity ? { quantity: parcel.quantity, final: parcel.final } : {};
    const body = { [kind.sold]: o.id, ...(kind === kinds.order ? part : {}), factory_shipment_ref: parcel.id };
    const join = gap('left', 'not billed', born(parcel), post('office', 'shipments', parcel.id, body));
    return rung(null, parcelSlip(parcel), join, { office: 'not billed in Head Office yet' });
  });
  for (const bill of left) {
    const join = gap('left', 'billed, not shipped', born(bill));
    rungs.push(rung(billSlip(bill), null, join, { factory: 'not shipped from the Factory' }));
  }
  if (work && live && o.status !== 'shipped' && sent < o.quantity && !left.length) {
    const rest = sent ? `the other ${number(o.quantity - sent)}` : 'the shipment';
    rungs.push(rung(null, null, later('left', 'once shipped'), { office: 'the bill', factory: rest }));
  }
  return rungs;
}

// named is a reference to an order: customers know their goods by its id or by
// its number (contract: OPEN.STATE.FACTORY_SHIPMENT.REFERENCE).
const named = (references, o) => references.get(o.id) ?? references.get(o.number);

// sentFor are the parcels for an order, oldest first.
const sentFor = (parcels, o) => [...(parcels.get(o.id) ?? []), ...(parcels.get(o.number) ?? [])];

// papers are the records that name an order, or are named by it.
const papersOf = () => ({
  work: by([...store.rows('work_order')].reverse(), 'reference'),
  parcels: grouped([...store.rows('factory_shipment')].reverse(), 'reference'),
  bills: by(store.rows('customer_invoice'), 'id'),
  openings: by(
    store.rows('office_shipment').filter(p => p.source === 'opening'),
    'id',
  ),
});

function ordered(name, o, title, papers) {
  const kind = kinds[name];
  const subtitle = `${o.number} · ${words(o.status)}`;
  if (papers.openings.has(o.shipment_id)) {
    const join = later('right', 'before the opening');
    return strand(
      name,
      o.id,
      title,
      subtitle,
      [rung(orderSlip(kind.list, o), null, join, { factory: '' })],
      true,
      o.created_at,
    );
  }
  const work = named(papers.work, o);
  const rungs = [
    worked(kind, o, work),
    ...billed(
      kind,
      o,
      work,
      sentFor(papers.parcels, o),
      (o.invoice_ids ?? [o.invoice_id]).flatMap(id => papers.bills.get(id) ?? []),
    ),
  ];
  return strand(name, o.id, title, subtitle, rungs, kind.ended.includes(o.status), o.created_at);
}

function orders(papers) {
  const customers = by(store.rows('customer'), 'id');
  return [
    ...store.rows('sales_order').map(o => ordered('order', o, o.customer_name, papers)),
    ...store
      .rows('contract_lot')
      .map(o => ordered('lot', o, customers.get(o.customer_id)?.name ?? o.product_name, papers)),
  ];
}

// strays are work orders whose reference names nothing that Head Office has.
function strays({ parcels }) {
  const known = new Set([...store.rows('sales_order'), ...store.rows('contract_lot')].flatMap(o => [o.id, o.number]));
  const lost = store.rows('work_order').filter(w => w.reference && !known.has(w.reference));
  return lost.map(w => {
    const parcel = parcels.get(w.reference)?.[0];
    const rungs = [
      rung(null, workSlip(w), broken('right', 'leads nowhere', born(w)), {
        office: `no order has the id or number ${w.reference}`,
      }),
    ];
    if (parcel) rungs.push(rung(null, parcelSlip(parcel), broken('left', 'no customer to bill', born(parcel))));
    return strand('order', w.id, w.product_name, `reference ${w.reference}`, rungs, false, w.created_at);
  });
}

// filed are the records of Head Office about a shortage and its purchase.
function filed(r, office, bought) {
  const card = slip('requisitions', r, {
    title: `${number(r.quantity)} × ${nameOf(r.sku)}`,
    foot: `needed ${day(r.needed_by)}`,
  });
  if (!office) {
    const { sku, quantity, id: reference, needed_by } = r;
    const body = { lines: [{ sku, quantity }], reference, needed_by };
    const join =
      r.status === 'closed'
        ? later('left', 'closed without')
        : gap('left', 'not filed', born(r), post('office', 'requisitions', r.id, body));
    return rung(null, card, join, { office: 'not requested yet' });
  }
  const request = slip('requisitions', office, {
    title: `about ${money(office.estimated_minor)}`,
    foot: bought ? `ordered as ${bought.number}` : 'not ordered yet',
  });
  return rung(request, card, joined('left', 'reference'));
}

function requisitions() {
  const requests = by(store.rows('office_requisition'), 'reference');
  const purchases = by(store.rows('purchase_order'), 'requisition_id');
  return store.rows('factory_requisition').map(r => {
    const office = requests.get(r.id);
    const rungs = [filed(r, office, office && purchases.get(office.id))];
    const title = `${nameOf(r.sku)} runs short`;
    return strand('requisition', r.id, title, words(r.reason), rungs, r.status === 'closed', r.created_at);
  });
}

const sum = (lines, member) => lines.reduce((n, l) => n + l[member], 0);

// receiving is the request that tells Head Office what was counted. It names the purchase order
// whose number is on the delivery note.
function receiving(g, purchases) {
  const purchase = purchases.get(g.purchase_order_number);
  if (!purchase) return undefined;
  const lines = g.lines.map(({ sku, quantity_accepted, quantity_rejected }) => ({
    sku,
    quantity_accepted,
    quantity_rejected,
  }));
  return post('office', 'goods-receipts', g.id, { purchase_order_id: purchase.id, reference: g.id, lines });
}

// counted are the goods that the Factory has taken in.
function counted() {
  const receipts = by(store.rows('office_goods_receipt'), 'reference');
  const purchases = by(store.rows('purchase_order'), 'number');
  return store.rows('factory_goods_receipt').map(g => {
    const office = receipts.get(g.id);
    const name = g.purchase_order_number;
    const accepted = r => number(sum(r.lines, 'quantity_accepted'));
    const card = slip('goods-receipts', g, { name, title: `${accepted(g)} counted`, foot: day(g.received_on) });
    const recorded = () =>
      slip('goods-receipts', office, { name, title: `${accepted(office)} recorded`, foot: day(office.recorded_on) });
    const only = office
      ? rung(recorded(), card, joined('left', 'reference'))
      : rung(null, card, gap('left', 'not recorded', born(g), receiving(g, purchases)), {
          office: 'no goods receipt yet',
        });
    const subtitle = g.lines.map(l => nameOf(l.sku)).join('; ');
    return strand('receipt', g.id, `Goods for ${name}`, subtitle, [only], !!office, g.created_at);
  });
}

// arrived are the trucks that wait at the gate.
function arrived() {
  const waiting = store.rows('delivery').filter(d => d.status === 'arrived');
  return waiting.map(d => {
    const card = slip('deliveries', d, {
      name: d.purchase_order_number,
      title: `${number(sum(d.lines, 'quantity_advised'))} announced`,
      foot: `at the gate since ${day(d.arrived_on)}`,
    });
    const only = rung(null, card, later('left', 'after you record the receipt'), { office: 'the receipt' });
    return strand('receipt', d.id, `Truck of ${d.supplier_name}`, d.purchase_order_number, [only], false, d.created_at);
  });
}

const mondayOf = date => {
  const d = new Date(`${date}T00:00:00Z`);
  d.setUTCDate(d.getUTCDate() - ((d.getUTCDay() + 6) % 7));
  return d.toISOString().slice(0, 10);
};

const fridayOf = monday => new Date(Date.parse(`${monday}T00:00:00Z`) + 4 * 86400000).toISOString().slice(0, 10);

// attended groups attendance by weeks, the newest week first.
function attended() {
  const weeks = new Map();
  for (const a of store.rows('attendance')) {
    const monday = mondayOf(a.date);
    weeks.set(monday, [...(weeks.get(monday) ?? []), a]);
  }
  return [...weeks].sort(([a], [b]) => (a < b ? 1 : -1));
}

// hoursPerDay are the hours of a day of illness or leave.
const hoursPerDay = 8;

// paying is the request that tells Head Office the hours of a week, added up by badge.
function paying(monday, rows) {
  const entries = new Map();
  for (const { badge_no, absence, hours } of rows) {
    if (!entries.has(badge_no)) entries.set(badge_no, { badge_no, hours_worked: 0, hours_sick: 0, hours_leave: 0 });
    const entry = entries.get(badge_no);
    if (absence === 'sick' || absence === 'leave') entry[`hours_${absence}`] += hoursPerDay;
    else entry.hours_worked += hours;
  }
  const sorted = [...entries.values()].sort((a, b) => (a.badge_no < b.badge_no ? -1 : 1));
  return post('office', 'timesheets', `week-${monday}`, { week_start: monday, entries: sorted });
}

// unfiled is the hand-off of a week without a timesheet. Wages that are not paid in time are collected, and then
// no timesheet is taken any more.
function unfiled(monday, rows, over, paid) {
  const at = { ...born(rows[0]), on: fridayOf(monday) };
  if (!over) return [later('left', 'after Friday'), { office: 'the timesheet' }];
  if (paid) return [broken('left', 'no timesheet', at), { office: 'late wages were collected' }];
  return [gap('left', 'no timesheet', at, paying(monday, rows)), { office: 'wages cannot be paid' }];
}

function weeks() {
  const sheets = by(store.rows('timesheet'), 'week_start');
  const runs = by(store.rows('payroll_run'), 'week_start');
  const today = store.present.value?.sim_date ?? '';
  return attended().map(([monday, rows]) => {
    const sheet = sheets.get(monday);
    const over = mondayOf(today) > monday;
    const [last] = rows;
    const name = `week of ${day(monday)}`;
    const card = slip('attendance', last, {
      name,
      status: over ? 'recorded' : 'running',
      title: `${number(sum(rows, 'hours'))} hours at the gate`,
      foot: people(new Set(rows.map(a => a.badge_no)).size),
    });
    const recorded = () =>
      slip('timesheets', sheet, {
        name,
        status: 'recorded',
        title: people(sheet.entries.length),
        foot: words(sheet.source),
      });
    const only = sheet
      ? rung(recorded(), card, joined('left', 'week_start'))
      : rung(null, card, ...unfiled(monday, rows, over, runs.get(monday)?.status === 'paid'));
    return strand('week', monday, `Week of ${day(monday)}`, 'attendance becomes pay', [only], !!sheet, last.created_at);
  });
}

const byMoment = (a, b) => (a.oldest < b.oldest ? -1 : 1);

// strands are all stories: those with a gap first, the oldest gap before all.
export function strands() {
  const papers = papersOf();
  const all = [...orders(papers), ...strays(papers), ...requisitions(), ...arrived(), ...counted(), ...weeks()];
  return all.sort((a, b) => {
    if (!!a.gaps !== !!b.gaps) return a.gaps ? -1 : 1;
    if (a.gaps) return (a.oldestOn ?? '') === (b.oldestOn ?? '') ? byMoment(a, b) : a.oldestOn < b.oldestOn ? -1 : 1;
    return a.at < b.at ? 1 : -1;
  });
}

// open are the gaps of a manual bridge, with the day since which the oldest is one; null where nothing is carried, and
// without both keys.
export const open = computed(() => {
  if (store.status.value?.bridge !== 'manual' || !keyFor('office') || !keyFor('factory')) return null;
  const all = strands();
  return {
    gaps: all.reduce((n, s) => n + s.gaps, 0),
    oldestOn: all.flatMap(s => s.oldestOn ?? []).sort()[0],
  };
});
