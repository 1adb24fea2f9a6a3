// The trail of a record through both systems. It is joined as on paper, by reference, number,
// badge and SKU, of what this tab holds of either.
import { rows } from '../lib/store.js';
import { day, money, number, words } from '../lib/format.js';
import { pageOf } from '../lib/navigate.js';

// eachMost is how many records of one kind a trail shows.
const eachMost = 6;

const born = resource => [...rows(resource)].reverse();
const where = (resource, fits) => born(resource).filter(fits);
const ids = records => new Set(records.map(r => r.id));
const sum = (lines, ...members) => lines.reduce((n, l) => n + (members.map(m => l[m]).find(v => v != null) ?? 0), 0);
const goods = r => r.lines.map(l => l.sku).filter(Boolean);

// nameOfGoods is how people call a material or a product.
const nameOfGoods = sku => rows('stock_item').find(i => i.sku === sku)?.name ?? sku;
const goodsText = r => `${number(r.quantity)} × ${nameOfGoods(r.sku)}`;

// sold is the customer's order.
const sold = r => `${number(r.quantity)} × ${r.product_name}${r.customer_name ? ` for ${r.customer_name}` : ''}`;

// kinds are, for each resource, its name, the text beside its number, and its day.
const kinds = {
  sales_order: ['Sales order', r => sold(r), 'received_on'],
  contract_lot: ['Contract lot', r => sold(r)],
  work_order: ['Work order', r => `${number(r.quantity)} × ${r.product_name}`],
  print_run: ['Print run', r => `${number(r.sheets_planned)} sheets of ${nameOfGoods(r.paper_sku)}`, 'started_sim'],
  factory_shipment: ['Shipment', r => `${number(r.quantity)} sent`, 'shipped_on'],
  office_shipment: ['Billed shipment', r => `${number(r.quantity)} billed`, 'shipped_on'],
  customer_invoice: ['Invoice', r => money(r.total_minor), 'issued_on'],
  payment: ['Payment', r => money(r.amount_minor), 'received_on'],
  ledger_entry: ['Ledger', r => money(r.amount_minor), 'entry_on'],
  factory_requisition: ['Shortage', goodsText],
  office_requisition: ['Requisition', r => `about ${money(r.estimated_minor)}`],
  purchase_order: ['Purchase order', r => money(r.total_minor)],
  delivery: ['Truck', r => `${number(sum(r.lines, 'quantity_advised'))} announced`, 'arrived_on'],
  factory_goods_receipt: ['Count', r => `${number(sum(r.lines, 'quantity_accepted'))} accepted`, 'received_on'],
  office_goods_receipt: ['Goods receipt', r => `${number(sum(r.lines, 'quantity_accepted'))} accepted`, 'recorded_on'],
  supplier_invoice: ['Bill', r => money(r.billed_minor), 'issued_on'],
  employee: ['Employee', r => words(r.role), 'hired_on'],
  operator: ['Operator', r => (r.present ? 'at work' : 'not at work')],
  attendance: ['Attendance', r => (r.absence === 'none' ? `${r.hours} h` : words(r.absence)), 'date'],
  leave_request: ['Leave', r => `${r.days} ${r.days === 1 ? 'day' : 'days'}`, 'from_date'],
  timesheet: [
    'Timesheet',
    r => `${number(r.entries.length)} ${r.entries.length === 1 ? 'person' : 'people'}`,
    'week_start',
  ],
  payroll_run: ['Payroll', r => money(r.total_minor), 'week_start'],
  market_trade: ['Trade', r => `${r.side} ${goodsText(r)}`, 'traded_on'],
  market_delivery: ['Market delivery', goodsText, 'received_on'],
  stock_move: ['Stock move', goodsText],
  stock_item: ['Stock', r => `${number(r.on_hand)} on hand`],
  press: ['Press', r => r.technology],
  customer: ['Customer', r => r.name],
  supplier: ['Supplier', r => r.name],
  office_product: ['Product', r => r.name],
  factory_product: ['Product', r => r.name],
  market_quote: ['Quote', r => `asks ${money(r.ask_minor)}`],
};
const factoryResources =
  'work_order print_run factory_shipment factory_requisition delivery factory_goods_receipt operator attendance ' +
  'market_delivery stock_move stock_item press factory_product';
const systemOf = resource => (factoryResources.split(' ').includes(resource) ? 'factory' : 'office');

const of = (resource, records) => records.map(r => ({ resource, r }));
const missing = (resource, text) => ({ resource, text });

// ordered is the way of an order or a lot, from the acceptance to the money.
function ordered(resource, o) {
  const names = [o.id, o.number];
  const works = where(
    'work_order',
    w => names.includes(w.reference) || w.id === (o.bridged_work_order_id ?? o.work_order_ref),
  );
  const mine = ids(works);
  const runs = where('print_run', r => r.items.some(i => mine.has(i.work_order_id)));
  const parcels = where('factory_shipment', s => names.includes(s.reference) || mine.has(s.work_order_id));
  const forIt = r => r.sales_order_id === o.id || r.contract_lot_id === o.id;
  const shipments = where('office_shipment', forIt);
  const bills = where('customer_invoice', forIt);
  const billed = ids(bills);
  const payments = where('payment', p => billed.has(p.customer_invoice_id));
  const owed = ['accepted', 'in_production', 'shipped'].includes(o.status);
  const gap = (resource, text) => (owed ? [missing(resource, text)] : []);
  const steps = [
    ...of(resource, [o]),
    ...(works.length ? of('work_order', works) : shipments.length ? [] : gap('work_order', 'no work order yet')),
    ...of('print_run', runs),
    ...(parcels.length
      ? of('factory_shipment', parcels)
      : shipments.length
        ? []
        : gap('factory_shipment', 'not shipped yet')),
    ...(shipments.length ? of('office_shipment', shipments) : gap('office_shipment', 'not billed yet')),
    ...of('customer_invoice', bills),
    ...(payments.length
      ? of('payment', payments)
      : bills.some(b => b.status !== 'paid')
        ? [missing('payment', 'not paid yet')]
        : []),
  ];
  return [...steps, ...entered(steps)];
}

// entered are the entries of the ledger about the records of a trail.
const entered = steps => {
  const about = new Set(steps.map(s => s.r?.id));
  return of(
    'ledger_entry',
    where('ledger_entry', e => about.has(e.reference_id)),
  );
};

// bought is the way of material, from the shortage to the paid bill.
function bought({ shortage, request, order }) {
  const asked = request ?? where('office_requisition', r => r.id === order?.requisition_id)[0];
  const short = shortage ?? where('factory_requisition', r => asked && [r.id, r.number].includes(asked.reference))[0];
  const orders = order
    ? [order]
    : where('purchase_order', p => asked && (p.requisition_id === asked.id || p.id === asked.purchase_order_id));
  const numbers = new Set(orders.map(p => p.number));
  const known = ids(orders);
  const noted = r => numbers.has(r.purchase_order_number);
  const steps = [
    ...of('factory_requisition', [short].filter(Boolean)),
    ...of('office_requisition', [asked].filter(Boolean)),
    ...of('purchase_order', orders),
    ...of('delivery', where('delivery', noted)),
    ...of('factory_goods_receipt', where('factory_goods_receipt', noted)),
    ...of(
      'office_goods_receipt',
      where('office_goods_receipt', g => known.has(g.purchase_order_id)),
    ),
    ...of(
      'supplier_invoice',
      where('supplier_invoice', i => known.has(i.purchase_order_id)),
    ),
  ];
  return [...steps, ...entered(steps)];
}

// employed is the data of both systems about an employee.
function employed(badge) {
  const person = where('employee', e => e.badge_no === badge);
  const id = person[0]?.id;
  const sheets = where('timesheet', t => t.entries.some(e => e.employee_id === id));
  const counted = ids(sheets);
  return [
    ...of('employee', person),
    ...of(
      'operator',
      where('operator', o => o.badge_no === badge),
    ),
    ...of('attendance', where('attendance', a => a.badge_no === badge).slice(-eachMost)),
    ...of(
      'leave_request',
      where('leave_request', l => l.employee_id === id),
    ),
    ...of('timesheet', sheets.slice(-eachMost)),
    ...of('payroll_run', where('payroll_run', p => counted.has(p.timesheet_id)).slice(-eachMost)),
  ];
}

// paidWeek is a week of work, from the gate to the wages.
function paidWeek(week, sheet) {
  const sheets = sheet ? [sheet] : where('timesheet', t => t.week_start === week);
  const steps = [
    ...of('timesheet', sheets),
    ...of(
      'payroll_run',
      where('payroll_run', p => p.week_start === week),
    ),
  ];
  return [...steps, ...entered(steps)];
}

const orderOf = reference =>
  ['sales_order', 'contract_lot']
    .flatMap(resource => of(resource, rows(resource)))
    .find(({ r }) => reference && (r.id === reference || r.number === reference));
const told = found => found && ordered(found.resource, found.r);
const workOf = id => rows('work_order').find(w => w.id === id);
const orderNumbered = number => ({ order: rows('purchase_order').find(p => p.number === number) });
const orderWith = id => ({ order: rows('purchase_order').find(p => p.id === id) });
const invoiced = r => told(orderOf(r.sales_order_id ?? r.contract_lot_id));
const newest = (resource, fits) => of(resource, rows(resource).filter(fits).slice(0, eachMost));

// printed is the way of everything in a run.
function printed(r) {
  const works = r.items.map(i => workOf(i.work_order_id)).filter(Boolean);
  const stories = works.map(w => told(orderOf(w.reference))).filter(Boolean);
  if (works.length === 1 && stories.length) return stories[0];
  const orders = works.map(w => orderOf(w.reference)).filter(Boolean);
  return [...orders, ...of('work_order', works), ...of('print_run', [r])];
}

const worked = w => {
  const found = told(orderOf(w.reference));
  if (found) return found;
  return [
    ...of('work_order', [w]),
    ...newest('print_run', r => r.items.some(i => i.work_order_id === w.id)),
    ...newest('factory_shipment', s => s.work_order_id === w.id),
  ];
};

const traded = t => {
  const deliveries = where('market_delivery', d => d.trade_ref === t.id || d.id === t.market_delivery_id);
  const steps = [...of('market_trade', [t]), ...of('market_delivery', deliveries)];
  return [...steps, ...entered(steps)];
};

const mondayOf = date => {
  const d = new Date(`${date}T00:00:00Z`);
  d.setUTCDate(d.getUTCDate() - ((d.getUTCDay() + 6) % 7));
  return d.toISOString().slice(0, 10);
};

// ways are how the trail of each resource is found.
const ways = {
  sales_order: o => ordered('sales_order', o),
  contract_lot: o => ordered('contract_lot', o),
  work_order: worked,
  print_run: printed,
  factory_shipment: s => told(orderOf(s.reference)) ?? (workOf(s.work_order_id) && worked(workOf(s.work_order_id))),
  office_shipment: invoiced,
  customer_invoice: invoiced,
  payment: p => {
    const bill = rows('customer_invoice').find(i => i.id === p.customer_invoice_id);
    return (bill && invoiced(bill)) ?? [...of('payment', [p]), ...entered(of('payment', [p]))];
  },
  factory_requisition: f =>
    bought({ shortage: f, request: rows('office_requisition').find(r => r.reference === f.id) }),
  office_requisition: request => bought({ request }),
  purchase_order: order => bought({ order }),
  delivery: d => bought(orderNumbered(d.purchase_order_number)),
  factory_goods_receipt: g => bought(orderNumbered(g.purchase_order_number)),
  office_goods_receipt: g => bought(orderWith(g.purchase_order_id)),
  supplier_invoice: i => {
    const bill = of('supplier_invoice', [i]);
    return i.purchase_order_id ? bought(orderWith(i.purchase_order_id)) : [...bill, ...entered(bill)];
  },
  employee: e => employed(e.badge_no),
  operator: o => employed(o.badge_no),
  attendance: a => [
    ...of(
      'employee',
      where('employee', e => e.badge_no === a.badge_no),
    ),
    ...of('attendance', [a]),
    ...paidWeek(mondayOf(a.date)),
  ],
  leave_request: l => {
    const person = rows('employee').find(e => e.id === l.employee_id);
    return person ? employed(person.badge_no) : [];
  },
  timesheet: t => paidWeek(t.week_start, t),
  payroll_run: p => paidWeek(p.week_start),
  market_trade: traded,
  market_delivery: d => {
    const trade = rows('market_trade').find(t => t.id === d.trade_ref);
    return trade ? traded(trade) : [];
  },
  ledger_entry: e => reasonOf(e),
  stock_move: m => reasonOf(m),
  stock_item: i => [
    ...of('stock_item', [i]),
    ...newest('factory_requisition', r => r.sku === i.sku),
    ...newest('purchase_order', p => goods(p).includes(i.sku)),
    ...newest('delivery', d => goods(d).includes(i.sku)),
    ...newest('stock_move', m => m.sku === i.sku),
  ],
  press: p => [...of('press', [p]), ...newest('print_run', r => r.press_id === p.id)],
  customer: c => [
    ...of('customer', [c]),
    ...newest('sales_order', o => o.customer_id === c.id),
    ...newest('contract_lot', o => o.customer_id === c.id),
    ...newest('customer_invoice', i => i.customer_id === c.id),
    ...newest('payment', p => p.payer_name === c.name),
  ],
  supplier: s => [
    ...of('supplier', [s]),
    ...newest('purchase_order', p => p.supplier_id === s.id),
    ...newest('delivery', d => d.supplier_name === s.name),
    ...newest('supplier_invoice', i => i.supplier_id === s.id),
  ],
  office_product: p => made(p),
  factory_product: p => made(p),
  market_quote: q => [
    ...of('market_quote', [q]),
    ...newest('stock_item', i => i.sku === q.sku),
    ...newest('market_trade', t => t.sku === q.sku),
  ],
};

const made = p => [
  ...newest('office_product', x => x.sku === p.sku),
  ...newest('factory_product', x => x.sku === p.sku),
  ...newest('sales_order', o => o.sku === p.sku),
  ...newest('work_order', w => w.sku === p.sku),
  ...newest('stock_item', i => i.sku === p.sku),
];

// reasonOf is the trail of the record that moved stock or cash, and the move.
function reasonOf(m) {
  const resource = 'balance_minor' in m ? 'ledger_entry' : 'stock_move';
  const found = Object.keys(ways)
    .flatMap(resource => of(resource, rows(resource)))
    .find(({ r }) => m.reference_id && r.id === m.reference_id);
  const steps = found && !['ledger_entry', 'stock_move'].includes(found.resource) ? ways[found.resource](found.r) : [];
  return steps?.some(s => s.r?.id === m.id) ? steps : [...(steps ?? []), ...of(resource, [m])];
}

// stepOf is a record as a line of a trail, or what is missing there.
function stepOf({ resource, r, text }, id) {
  const [kind, tell, on] = kinds[resource];
  const system = systemOf(resource);
  if (!r) return { resource, kind, system, text, missing: true };
  const at = String(r[on] ?? r.created_on ?? '').slice(0, 10);
  const named = { resource, system, kind, page: pageOf(r.id), name: nameOf(resource, r), here: r.id === id };
  return { ...named, id: r.id, text: tell(r), status: r.status, on: at && day(at) };
}

// nameOf is how a record is called in a trail: by its number, or for what it has instead.
function nameOf(resource, r) {
  const own = {
    delivery: () => r.purchase_order_number,
    factory_goods_receipt: () => r.purchase_order_number,
    office_goods_receipt: () => rows('purchase_order').find(o => o.id === r.purchase_order_id)?.number,
    payment: () => `from ${r.payer_name}`,
    ledger_entry: () => words(r.kind),
    stock_move: () => words(r.kind),
    leave_request: () => `from ${day(r.from_date)}`,
    market_trade: () => `on ${day(r.traded_on)}`,
    market_delivery: () => `on ${day(r.received_on)}`,
    attendance: () => day(r.date),
    timesheet: () => `week of ${day(r.week_start)}`,
    payroll_run: () => `week of ${day(r.week_start)}`,
    employee: () => r.name,
    print_run: () => `on ${rows('press').find(p => p.id === r.press_id)?.name ?? r.press_id}`,
  }[resource];
  return own?.() ?? r.number ?? r.badge_no ?? r.name ?? r.id;
}

// storyOf is the trail of a record, that record among it; empty for what has none.
export function storyOf(resource, record) {
  const steps = ways[resource]?.(record) ?? [];
  return steps.length > 1 ? steps.map(s => stepOf(s, record.id)) : [];
}
