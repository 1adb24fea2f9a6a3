// Which record of one system belongs to which of the other. A strand is one
// story (an order, a shortage, a delivery, a week); its rungs are the hand-offs.
import * as store from '../lib/store.js';
import { day, money, number, words } from '../lib/format.js';

export const handoffs = [
  ['order', 'Orders'],
  ['lot', 'Contract lots'],
  ['requisition', 'Requisitions'],
  ['receipt', 'Receipts'],
  ['week', 'Weeks'],
];

// happened is when something happened to a record, on the wall and in the
// company, as far as the feed that is held here goes back.
const happened = (type, r) => {
  const e = store.events.value.find(e => e.type === type && e.data.id === r.id);
  return { since: e?.created_at ?? r.updated_at, on: e?.sim_date ?? r.created_on };
};
const born = r => ({ since: r.created_at, on: r.created_on });
const nameOf = sku => store.rows('stock_item').find(s => s.sku === sku)?.name ?? sku;
const by = (list, key) => {
  const m = new Map();
  for (const r of list) if (r[key] != null) m.set(r[key], r);
  return m;
};

const rung = (office, factory, join, ghosts = {}) => ({
  office,
  factory,
  join,
  officeGhost: ghosts.office ?? 'not here yet',
  factoryGhost: ghosts.factory ?? 'not here yet',
});
const joined = (way, label) => ({ state: 'joined', way, label });
const gap = (way, label, at) => ({ state: 'gap', way, label, ...at });
const later = (way, label) => ({ state: 'later', way, label });
const broken = (way, label, at) => ({ state: 'broken', way, label, ...at });

const strand = (kind, id, title, subtitle, rungs, done, at) => {
  const gaps = rungs.filter(r => r.join.state === 'gap' || r.join.state === 'broken');
  return {
    kind,
    key: kind + id,
    title,
    subtitle,
    rungs,
    done: done && !gaps.length,
    gaps: gaps.length,
    oldest: gaps.map(r => r.join.since ?? at).sort()[0],
    at,
  };
};

const workOrderCard = w =>
  w && {
    list: 'work-orders',
    id: w.id,
    name: w.number,
    status: w.status,
    title: `${number(w.quantity)} × ${w.product_name}`,
    foot: w.due_date ? `due ${day(w.due_date)}` : '',
    part: w.status === 'printing' ? Math.min(1, (w.quantity_good + w.quantity_from_stock) / w.quantity) : null,
  };
const invoiceCard = i =>
  i && {
    list: 'customer-invoices',
    id: i.id,
    name: i.number,
    status: i.status,
    title: money(i.total_minor),
    foot: i.paid_on ? `paid ${day(i.paid_on)}` : `due ${day(i.due_date)}`,
  };
const parcelCard = p =>
  p && {
    list: 'shipments',
    id: p.id,
    name: p.number,
    status: p.status,
    title: `${number(p.quantity)} sent`,
    foot: day(p.shipped_on),
  };

// carried is the two rungs that an order and a lot have in common: the work goes
// to the Factory, what it ships comes back as a bill.
function carried(o, work, parcels, invoices, acceptedType, live, before) {
  const orderCard = {
    list: acceptedType.includes('lot') ? 'contract-lots' : 'sales-orders',
    id: o.id,
    name: o.number,
    status: o.status,
    title: `${number(o.quantity)} × ${o.product_name}`,
    foot: `${money(o.total_minor)} · due ${day(o.due_date ?? o.deliver_by)}`,
  };
  const w = work.get(o.id);
  const parcel = parcels.get(o.id);
  const invoice = invoices.get(o.invoice_id);
  const first = w
    ? rung(orderCard, workOrderCard(w), joined('right', 'reference'))
    : live
      ? rung(orderCard, null, gap('right', 'no work order', happened(acceptedType, o)), {
          factory: 'the Factory does not know of it',
        })
      : rung(
          orderCard,
          null,
          later('right', o.status === 'received' || o.status === 'offered' ? 'once accepted' : 'nothing to carry'),
          { factory: '' },
        );
  if (before) return [rung(orderCard, null, later('right', 'before the opening'), { factory: '' })];
  const rungs = [first];
  if (parcel || invoice) {
    rungs.push(
      parcel && invoice
        ? rung(invoiceCard(invoice), parcelCard(parcel), joined('left', 'factory_shipment_ref'))
        : parcel && live
          ? rung(null, parcelCard(parcel), gap('left', 'not billed', born(parcel)), {
              office: 'Head Office has billed nothing',
            })
          : parcel
            ? rung(null, parcelCard(parcel), broken('left', 'too late to bill', born(parcel)), {
                office: `the order is ${words(o.status)}`,
              })
            : rung(invoiceCard(invoice), null, broken('left', 'billed, not shipped', born(invoice)), {
                factory: 'nothing left the Factory',
              }),
    );
  } else if (w && live)
    rungs.push(rung(null, null, later('left', 'once shipped'), { office: 'the bill', factory: 'the parcel' }));
  return rungs;
}

function orders(work, parcels, invoices) {
  const customers = by(store.rows('customer'), 'id');
  const before = new Set(
    store
      .rows('office_shipment')
      .filter(p => p.source === 'opening')
      .map(p => p.id),
  );
  const list = store
    .rows('sales_order')
    .map(o =>
      strand(
        'order',
        o.id,
        o.customer_name,
        `${o.number} · ${words(o.status)}`,
        carried(
          o,
          work,
          parcels,
          invoices,
          'office.sales_order.accepted',
          o.status === 'accepted' || o.status === 'in_production' || o.status === 'shipped',
          before.has(o.shipment_id),
        ),
        ['paid', 'declined', 'expired'].includes(o.status) || before.has(o.shipment_id),
        o.created_at,
      ),
    );
  const lots = store
    .rows('contract_lot')
    .map(o =>
      strand(
        'lot',
        o.id,
        customers.get(o.customer_id)?.name ?? o.product_name,
        `${o.number} · ${words(o.status)}`,
        carried(o, work, parcels, invoices, 'office.contract_lot.accepted', o.status === 'accepted'),
        ['delivered', 'declined', 'expired'].includes(o.status),
        o.created_at,
      ),
    );
  return [...list, ...lots];
}

// strays are work orders whose reference names nothing that Head Office has.
function strays(orderIDs, parcels) {
  return store
    .rows('work_order')
    .filter(w => w.reference && !orderIDs.has(w.reference))
    .map(w =>
      strand(
        'order',
        w.id,
        w.product_name,
        `reference ${w.reference}`,
        [
          rung(null, workOrderCard(w), broken('right', 'leads nowhere', born(w)), {
            office: `no order has the id ${w.reference}`,
          }),
          ...(parcels.has(w.reference)
            ? [
                rung(
                  null,
                  parcelCard(parcels.get(w.reference)),
                  broken('left', 'nobody to bill', born(parcels.get(w.reference))),
                ),
              ]
            : []),
        ],
        false,
        w.created_at,
      ),
    );
}

function requisitions() {
  const filed = by(store.rows('office_requisition'), 'reference');
  const orders = by(store.rows('purchase_order'), 'requisition_id');
  return store.rows('factory_requisition').map(r => {
    const office = filed.get(r.id);
    const bought = office && orders.get(office.id);
    const card = {
      list: 'requisitions',
      id: r.id,
      name: r.number,
      status: r.status,
      title: `${number(r.quantity)} × ${nameOf(r.sku)}`,
      foot: `needed ${day(r.needed_by)}`,
    };
    return strand(
      'requisition',
      r.id,
      `${nameOf(r.sku)} runs short`,
      words(r.reason),
      [
        office
          ? rung(
              {
                list: 'requisitions',
                id: office.id,
                name: office.number,
                status: office.status,
                title: `about ${money(office.estimated_minor)}`,
                foot: bought ? `ordered as ${bought.number}` : 'not ordered yet',
              },
              card,
              joined('left', 'reference'),
            )
          : rung(
              null,
              card,
              r.status === 'closed' ? later('left', 'closed without') : gap('left', 'not filed', born(r)),
              { office: 'nobody has asked for it' },
            ),
      ],
      r.status === 'closed',
      r.created_at,
    );
  });
}

function receipts() {
  const recorded = by(store.rows('office_goods_receipt'), 'reference');
  const sum = (lines, member) => lines.reduce((n, l) => n + l[member], 0);
  const counted = store.rows('factory_goods_receipt').map(g => {
    const office = recorded.get(g.id);
    const card = {
      list: 'goods-receipts',
      id: g.id,
      name: g.purchase_order_number,
      status: g.status,
      title: `${number(sum(g.lines, 'quantity_accepted'))} counted`,
      foot: day(g.received_on),
    };
    return strand(
      'receipt',
      g.id,
      `Goods for ${g.purchase_order_number}`,
      g.lines.map(l => nameOf(l.sku)).join('; '),
      [
        office
          ? rung(
              {
                list: 'goods-receipts',
                id: office.id,
                name: g.purchase_order_number,
                status: office.status,
                title: `${number(sum(office.lines, 'quantity_accepted'))} recorded`,
                foot: day(office.recorded_on),
              },
              card,
              joined('left', 'reference'),
            )
          : rung(null, card, gap('left', 'not recorded', born(g)), { office: 'the bill will not match' }),
      ],
      !!office,
      g.created_at,
    );
  });
  const arrived = store
    .rows('delivery')
    .filter(d => d.status === 'arrived')
    .map(d =>
      strand(
        'receipt',
        d.id,
        `Truck of ${d.supplier_name}`,
        d.purchase_order_number,
        [
          rung(
            null,
            {
              list: 'deliveries',
              id: d.id,
              name: d.purchase_order_number,
              status: d.status,
              title: `${number(sum(d.lines, 'quantity_advised'))} advised`,
              foot: `at the gate since ${day(d.arrived_on)}`,
            },
            later('left', 'once counted'),
            { office: 'the receipt' },
          ),
        ],
        false,
        d.created_at,
      ),
    );
  return [...arrived, ...counted];
}

function weeks() {
  const sheets = by(store.rows('timesheet'), 'week_start');
  const today = store.present.value?.sim_date ?? '';
  const monday = date => {
    const d = new Date(`${date}T00:00:00Z`);
    d.setUTCDate(d.getUTCDate() - ((d.getUTCDay() + 6) % 7));
    return d.toISOString().slice(0, 10);
  };
  const groups = new Map();
  for (const a of store.rows('attendance')) {
    const w = monday(a.date);
    groups.set(w, [...(groups.get(w) ?? []), a]);
  }
  return [...groups]
    .sort((a, b) => (a[0] < b[0] ? 1 : -1))
    .map(([start, rows]) => {
      const sheet = sheets.get(start);
      const over = monday(today) > start;
      const hours = rows.reduce((n, a) => n + a.hours, 0);
      const people = new Set(rows.map(a => a.badge_no)).size;
      const last = rows[0];
      const card = {
        list: 'attendance',
        id: last.id,
        name: `week of ${day(start)}`,
        status: over ? 'recorded' : 'running',
        title: `${number(hours)} hours at the gate`,
        foot: `${people} people`,
      };
      return strand(
        'week',
        start,
        `Week of ${day(start)}`,
        'attendance becomes pay',
        [
          sheet
            ? rung(
                {
                  list: 'timesheets',
                  id: sheet.id,
                  name: `week of ${day(start)}`,
                  status: 'recorded',
                  title: `${sheet.entries.length} people`,
                  foot: words(sheet.source),
                },
                card,
                joined('left', 'week_start'),
              )
            : rung(null, card, over ? gap('left', 'no timesheet', born(last)) : later('left', 'after Friday'), {
                office: over ? 'nobody can be paid' : 'the timesheet',
              }),
        ],
        !!sheet,
        last.created_at,
      );
    });
}

// strands are all stories: those with a gap first, the oldest gap before all.
export function strands() {
  const work = by([...store.rows('work_order')].reverse(), 'reference');
  const parcels = by(store.rows('factory_shipment'), 'reference');
  const invoices = by(store.rows('customer_invoice'), 'id');
  const ids = new Set([...store.rows('sales_order'), ...store.rows('contract_lot')].map(o => o.id));
  return [
    ...orders(work, parcels, invoices),
    ...strays(ids, parcels),
    ...requisitions(),
    ...receipts(),
    ...weeks(),
  ].sort((a, b) => {
    if (!!a.gaps !== !!b.gaps) return a.gaps ? -1 : 1;
    if (a.gaps) return a.oldest < b.oldest ? -1 : 1;
    return a.at < b.at ? 1 : -1;
  });
}
