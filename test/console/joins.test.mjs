import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, change, json, present, sandbox } from './server.mjs';
import { until } from './until.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as store from '../../internal/publish/web/static/lib/store.js';
import { handoffs, strands } from '../../internal/publish/web/static/console/joins.js';

// told gives the store a company and returns its strands. Records are in the
// order of their births, as the server sends them.
async function told(records, more = {}) {
  session.value = sandbox;
  new Server({ state: () => json({ data: change({ records, ...more }) }) });
  store.link.value = { state: 'connecting' };
  store.connect();
  await until(() => store.link.value.state === 'live');
  return strands();
}
afterEach(() => store.forget());

// joins returns both sides of each rung and the line between them, as
// [Head Office, line, Factory].
const joins = strand =>
  strand.rungs.map(r => [r.office?.name ?? null, `${r.join.state}: ${r.join.label}`, r.factory?.name ?? null]);

let minute = 0;
const at = () => new Date(Date.parse('2026-09-07T08:00:00Z') + 60e3 * minute++).toISOString();
const row = (id, more) => {
  const created_at = at();
  return { id, number: id.toUpperCase(), created_at, updated_at: created_at, created_on: '2026-09-07', ...more };
};
const order = (status, more) =>
  row('so_1', {
    customer_name: 'Meyer Books',
    product_name: 'Notebook',
    quantity: 250,
    total_minor: 50000,
    due_date: '2026-09-14',
    status,
    ...more,
  });
const lot = (status, more) =>
  row('lot_1', {
    customer_id: 'cus_1',
    product_name: 'Paperback',
    quantity: 2000,
    total_minor: 900000,
    deliver_by: '2026-09-21',
    status,
    ...more,
  });
const work = (reference, more) =>
  row('wo_1', {
    reference,
    product_name: 'Notebook',
    quantity: 250,
    quantity_good: 0,
    quantity_from_stock: 0,
    status: 'created',
    ...more,
  });
const parcel = (reference, more) =>
  row('fs_1', { reference, quantity: 250, shipped_on: '2026-09-10', status: 'shipped', ...more });
const invoice = more => row('inv_1', { total_minor: 50000, due_date: '2026-09-24', status: 'open', ...more });

// Orders, from acceptance to payment.

test('an order that nobody has answered is owed nothing', async () => {
  const [s] = await told({ sales_order: [order('received')] });
  assert.deepEqual(joins(s), [['SO_1', 'later: once accepted', null]]);
  assert.equal(s.gaps, 0);
  assert.equal(s.done, false);
});

test('an order that was declined or has expired is finished and owed nothing', async () => {
  for (const status of ['declined', 'expired']) {
    const [s] = await told({ sales_order: [order(status)] });
    assert.deepEqual(joins(s), [['SO_1', 'later: nothing to carry', null]]);
    assert.equal(s.done, true, status);
  }
});

test('an order in parts has a rung for each, and a gap for the part that is not billed', async () => {
  const parts = [
    parcel('so_1', { quantity: 100, final: false }),
    parcel('SO_1', { id: 'fs_2', number: 'FS_2', quantity: 90, final: false }),
  ];
  const sold = more => order('accepted', { quantity_billed: 0, invoice_ids: [], ...more });
  const made = work('so_1', { status: 'ready', quantity_shipped: 190 });
  const one = { office_shipment: [row('os_1', { factory_shipment_ref: 'FS_2', source: 'client' })] };
  const rest = [null, 'later: once shipped', null];
  const card = ['SO_1', 'joined: reference', 'WO_1'];
  let [s] = await told({ sales_order: [sold()], work_order: [made], factory_shipment: parts });
  assert.deepEqual(joins(s), [card, [null, 'gap: not billed', 'FS_1'], [null, 'gap: not billed', 'FS_2'], rest]);
  assert.deepEqual(s.rungs[1].join.request.body, {
    sales_order_id: 'so_1',
    quantity: 100,
    final: false,
    factory_shipment_ref: 'fs_1',
  });
  assert.equal(s.rungs[0].factory.part, 190 / 250);
  store.forget();
  const bill = invoice({ shipment_id: 'os_1' });
  const billed = sold({ quantity_billed: 90, invoice_id: 'inv_1', invoice_ids: ['inv_1'] });
  const records = {
    sales_order: [billed],
    work_order: [made],
    factory_shipment: parts,
    customer_invoice: [bill],
    ...one,
  };
  [s] = await told(records);
  assert.deepEqual(joins(s), [
    card,
    [null, 'gap: not billed', 'FS_1'],
    ['INV_1', 'joined: factory_shipment_ref', 'FS_2'],
    rest,
  ]);
  assert.equal(s.rungs[0].office.part, 90 / 250);
  store.forget();
  const both = {
    ...records,
    sales_order: [sold({ quantity_billed: 190, invoice_id: 'inv_1', invoice_ids: ['inv_1'] })],
  };
  [s] = await told(both);
  assert.deepEqual(joins(s)[1], [null, 'joined: billed with another part', 'FS_1']);
  assert.equal(s.gaps, 0);
});

test('with the auto bridge an order goes through its life without a gap', async () => {
  const bridged = { source: 'bridge' };
  for (const [records, want, done] of [
    [
      { sales_order: [order('accepted')], work_order: [work('so_1', bridged)] },
      [
        ['SO_1', 'joined: reference', 'WO_1'],
        [null, 'later: once shipped', null],
      ],
      false,
    ],
    [
      {
        sales_order: [order('shipped', { invoice_id: 'inv_1' })],
        work_order: [work('so_1', { ...bridged, status: 'shipped' })],
        factory_shipment: [parcel('so_1')],
        customer_invoice: [invoice()],
      },
      [
        ['SO_1', 'joined: reference', 'WO_1'],
        ['INV_1', 'joined: factory_shipment_ref', 'FS_1'],
      ],
      false,
    ],
    [
      {
        sales_order: [order('paid', { invoice_id: 'inv_1' })],
        work_order: [work('so_1', { ...bridged, status: 'shipped' })],
        factory_shipment: [parcel('so_1')],
        customer_invoice: [invoice({ status: 'paid', paid_on: '2026-09-22' })],
      },
      [
        ['SO_1', 'joined: reference', 'WO_1'],
        ['INV_1', 'joined: factory_shipment_ref', 'FS_1'],
      ],
      true,
    ],
  ]) {
    const [s, ...others] = await told(records);
    assert.deepEqual(joins(s), want);
    assert.deepEqual([s.gaps, s.done, others], [0, done, []]);
  }
});

test('with the manual bridge an accepted order is a gap until a work order names it', async () => {
  const [open] = await told({ sales_order: [order('accepted')] });
  assert.deepEqual(joins(open), [['SO_1', 'gap: no work order', null]]);
  assert.equal(open.gaps, 1);
  const [carried] = await told({ sales_order: [order('accepted')], work_order: [work('so_1')] });
  assert.equal(carried.gaps, 0);
});

test('a gap is as old as the acceptance, not as the order', async () => {
  const accepted = order('accepted', { created_at: '2026-09-07T08:00:00Z', updated_at: '2026-09-07T09:30:00Z' });
  const event = {
    seq: 5,
    type: 'office.sales_order.accepted',
    created_at: '2026-09-07T09:00:00Z',
    sim_date: '2026-09-08',
    data: { id: 'so_1' },
  };
  const other = { ...event, seq: 6, created_at: '2026-09-07T09:15:00Z', data: { id: 'so_2' } };
  const [s] = await told({ sales_order: [accepted] }, { events: [event, other] });
  assert.deepEqual([s.rungs[0].join.since, s.rungs[0].join.on], ['2026-09-07T09:00:00Z', '2026-09-08']);
  assert.equal(s.oldest, '2026-09-07T09:00:00Z');
});

test('a gap older than the events that are held is as old as the last change of its order', async () => {
  const accepted = order('accepted', { updated_at: '2026-09-07T09:30:00Z' });
  const [s] = await told({ sales_order: [accepted] });
  assert.equal(s.rungs[0].join.since, '2026-09-07T09:30:00Z');
});

test('what the Factory has shipped is a gap until Head Office bills it', async () => {
  const [s] = await told({
    sales_order: [order('in_production')],
    work_order: [work('so_1', { status: 'shipped' })],
    factory_shipment: [parcel('so_1', { created_at: '2026-09-07T12:00:00Z' })],
  });
  assert.deepEqual(joins(s), [
    ['SO_1', 'joined: reference', 'WO_1'],
    [null, 'gap: not billed', 'FS_1'],
  ]);
  assert.equal(s.oldest, '2026-09-07T12:00:00Z');
});

test('goods for an order that has ended cannot be billed any more', async () => {
  const [s] = await told({
    sales_order: [order('expired')],
    work_order: [work('so_1')],
    factory_shipment: [parcel('so_1')],
  });
  assert.deepEqual(joins(s)[1], [null, 'broken: too late to bill', 'FS_1']);
  assert.equal(s.rungs[1].officeGhost, 'the order is expired');
  assert.equal(s.done, false, 'an order that has ended is not finished while something of it is broken');
});

test('a bill without goods is a gap that no request closes', async () => {
  const [s] = await told({
    sales_order: [order('shipped', { invoice_id: 'inv_1' })],
    work_order: [work('so_1')],
    customer_invoice: [invoice()],
  });
  assert.deepEqual(joins(s)[1], ['INV_1', 'gap: billed, not shipped', null]);
});

test('an order without a work order may still have been shipped and billed', async () => {
  const [s] = await told({
    sales_order: [order('shipped', { invoice_id: 'inv_1' })],
    factory_shipment: [parcel('so_1')],
    customer_invoice: [invoice()],
  });
  assert.deepEqual(joins(s), [
    ['SO_1', 'gap: no work order', null],
    ['INV_1', 'joined: factory_shipment_ref', 'FS_1'],
  ]);
});

test('an order from before the opening is finished, whatever the Factory knows of it', async () => {
  const [s] = await told({
    sales_order: [order('shipped', { shipment_id: 'shp_1', invoice_id: 'inv_1' })],
    office_shipment: [row('shp_1', { source: 'opening' })],
    customer_invoice: [invoice()],
  });
  assert.deepEqual(joins(s), [['SO_1', 'later: before the opening', null]]);
  assert.equal(s.done, true);
});

test('an order of today is no order from before the opening, however it was shipped', async () => {
  const [s] = await told({
    sales_order: [order('shipped', { shipment_id: 'shp_1' })],
    office_shipment: [row('shp_1', { source: 'client' })],
  });
  assert.deepEqual(joins(s), [['SO_1', 'gap: no work order', null]]);
});

test('a story with two gaps is as old as the older of them', async () => {
  const [s] = await told({
    sales_order: [order('accepted', { updated_at: '2026-09-07T10:00:00Z' })],
    factory_shipment: [parcel('so_1', { created_at: '2026-09-07T09:00:00Z' })],
  });
  assert.deepEqual([s.gaps, s.oldest], [2, '2026-09-07T09:00:00Z']);
});

test('of two work orders with one reference the newer one is shown', async () => {
  const [s] = await told({
    sales_order: [order('accepted')],
    work_order: [work('so_1', { id: 'wo_1', number: 'OLD' }), work('so_1', { id: 'wo_2', number: 'NEW' })],
  });
  assert.deepEqual(joins(s)[0], ['SO_1', 'joined: reference', 'NEW']);
});

test('each order has its own work, parcel and bill', async () => {
  const all = await told({
    sales_order: [
      order('accepted', { id: 'so_1', number: 'A' }),
      order('shipped', { id: 'so_2', number: 'B', invoice_id: 'inv_2' }),
    ],
    work_order: [work('so_2', { id: 'wo_2', number: 'WB' }), work('so_1', { id: 'wo_1', number: 'WA' })],
    factory_shipment: [parcel('so_2', { number: 'PB' })],
    customer_invoice: [invoice({ id: 'inv_1', number: 'IA' }), invoice({ id: 'inv_2', number: 'IB' })],
  });
  assert.deepEqual(
    all.map(s => [s.key, joins(s)]),
    [
      [
        'orderso_2',
        [
          ['B', 'joined: reference', 'WB'],
          ['IB', 'joined: factory_shipment_ref', 'PB'],
        ],
      ],
      [
        'orderso_1',
        [
          ['A', 'joined: reference', 'WA'],
          [null, 'later: once shipped', null],
        ],
      ],
    ],
  );
});

test('a work order shows how far it is while it is printed', async () => {
  const part = async more => {
    const [s] = await told({ sales_order: [order('accepted')], work_order: [work('so_1', more)] });
    return s.rungs[0].factory.part;
  };
  assert.equal(await part({ status: 'created' }), null);
  assert.equal(await part({ status: 'printing', quantity_good: 100, quantity_from_stock: 25 }), 0.5);
  assert.equal(await part({ status: 'printing', quantity_good: 400 }), 1);
  assert.equal(await part({ status: 'ready', quantity_good: 250 }), null);
});

test('an order may be named by its number instead of its id', async () => {
  const [s, ...others] = await told({
    sales_order: [order('shipped', { number: 'SO-1001', invoice_id: 'inv_1' })],
    work_order: [work('SO-1001')],
    factory_shipment: [parcel('SO-1001')],
    customer_invoice: [invoice()],
  });
  assert.deepEqual(joins(s), [
    ['SO-1001', 'joined: reference', 'WO_1'],
    ['INV_1', 'joined: factory_shipment_ref', 'FS_1'],
  ]);
  assert.deepEqual(others, [], 'work that names an order does not lead nowhere');
});

test('beside the work of the auto bridge, goods of the client may be those that were billed', async () => {
  const [s, ...others] = await told({
    sales_order: [order('shipped', { number: 'SO-1001', invoice_id: 'inv_1' })],
    work_order: [work('so_1', { number: 'BRIDGED' }), work('SO-1001', { id: 'wo_2', number: 'OWN' })],
    factory_shipment: [parcel('SO-1001')],
    customer_invoice: [invoice()],
  });
  assert.deepEqual(joins(s), [
    ['SO-1001', 'joined: reference', 'BRIDGED'],
    ['INV_1', 'joined: factory_shipment_ref', 'FS_1'],
  ]);
  assert.deepEqual(others, []);
});

// Lots go the way of orders.

test('an accepted lot is carried as an order is, under the name of its customer', async () => {
  const customer = [row('cus_1', { name: 'Nordverlag' })];
  const [open] = await told({ contract_lot: [lot('accepted')], customer });
  assert.equal(open.kind, 'lot');
  assert.equal(open.title, 'Nordverlag');
  assert.deepEqual(joins(open), [['LOT_1', 'gap: no work order', null]]);
  const [carried] = await told({ contract_lot: [lot('accepted')], customer, work_order: [work('lot_1')] });
  assert.deepEqual(joins(carried)[0], ['LOT_1', 'joined: reference', 'WO_1']);
});

test('a lot whose customer is not known goes by its product', async () => {
  const [s] = await told({ contract_lot: [lot('offered')] });
  assert.equal(s.title, 'Paperback');
  assert.deepEqual(joins(s), [['LOT_1', 'later: once accepted', null]]);
});

test('a delivered lot is finished', async () => {
  const [s] = await told({
    contract_lot: [lot('delivered', { invoice_id: 'inv_1' })],
    work_order: [work('lot_1')],
    factory_shipment: [parcel('lot_1')],
    customer_invoice: [invoice()],
  });
  assert.deepEqual([s.gaps, s.done], [0, true]);
});

// References that lead nowhere.

test('work whose reference names no order leads nowhere', async () => {
  const [s] = await told({ work_order: [work('so_typo')] });
  assert.deepEqual(joins(s), [[null, 'broken: leads nowhere', 'WO_1']]);
  assert.match(s.rungs[0].officeGhost, /so_typo/);
});

test('goods whose reference names no order have no customer to bill', async () => {
  const [s] = await told({ work_order: [work('so_typo')], factory_shipment: [parcel('so_typo')] });
  assert.deepEqual(joins(s)[1], [null, 'broken: no customer to bill', 'FS_1']);
  assert.deepEqual([s.gaps, s.lost], [0, 2]);
});

test('work for the warehouse has no reference, and is no story', async () => {
  assert.deepEqual(await told({ work_order: [work(undefined), work('')] }), []);
});

// Requisitions.

const short = more =>
  row('frq_1', { sku: 'mat_coated', quantity: 500, needed_by: '2026-09-11', reason: 'below_reorder_point', ...more });
const filed = more => row('orq_1', { reference: 'frq_1', estimated_minor: 120000, status: 'approved', ...more });

test('what the Factory runs short of is a gap until it is filed', async () => {
  const stock_item = [row('stk_1', { sku: 'mat_coated', name: 'Coated paper' })];
  const [open] = await told({ factory_requisition: [short({ status: 'open' })], stock_item });
  assert.equal(open.title, 'Coated paper runs short');
  assert.deepEqual(joins(open), [[null, 'gap: not filed', 'FRQ_1']]);
  const [carried] = await told({ factory_requisition: [short({ status: 'open' })], office_requisition: [filed()] });
  assert.deepEqual(joins(carried), [['ORQ_1', 'joined: reference', 'FRQ_1']]);
});

test('stock that the console does not know is called by its SKU', async () => {
  const [s] = await told({ factory_requisition: [short({ status: 'open' })] });
  assert.equal(s.title, 'mat_coated runs short');
});

test('a filed requisition says what was ordered for it', async () => {
  const records = { factory_requisition: [short({ status: 'open' })], office_requisition: [filed()] };
  const [waiting] = await told(records);
  assert.equal(waiting.rungs[0].office.foot, 'not ordered yet');
  const [bought] = await told({ ...records, purchase_order: [row('po_1', { requisition_id: 'orq_1' })] });
  assert.equal(bought.rungs[0].office.foot, 'ordered as PO_1');
});

test('a requisition that was closed needs nobody to file it', async () => {
  const [s] = await told({ factory_requisition: [short({ status: 'closed' })] });
  assert.deepEqual(joins(s), [[null, 'later: closed without', 'FRQ_1']]);
  assert.equal(s.done, true);
});

// Goods that arrive.

const paper = { sku: 'mat_coated', quantity_advised: 500, quantity_accepted: 480, quantity_rejected: 20 };

test('a truck at the gate waits to be counted, and is no gap yet', async () => {
  const truck = { supplier_name: 'Paper Ltd', purchase_order_number: 'PO-7', arrived_on: '2026-09-09', lines: [paper] };
  const [s, ...others] = await told({
    delivery: [row('dlv_1', { ...truck, status: 'announced' }), row('dlv_2', { ...truck, status: 'arrived' })],
  });
  assert.deepEqual(joins(s), [[null, 'later: after you record the receipt', 'PO-7']]);
  assert.deepEqual([s.gaps, s.done, others], [0, false, []]);
});

test('what was counted is a gap until it is recorded', async () => {
  const counted = [row('grc_1', { purchase_order_number: 'PO-7', status: 'counted', lines: [paper, paper] })];
  const [open] = await told({ factory_goods_receipt: counted });
  assert.deepEqual(joins(open), [[null, 'gap: not recorded', 'PO-7']]);
  assert.equal(open.rungs[0].factory.title, '960 counted');
  const office_goods_receipt = [row('ogr_1', { reference: 'grc_1', lines: [paper], status: 'recorded' })];
  const [carried] = await told({ factory_goods_receipt: counted, office_goods_receipt });
  assert.deepEqual(joins(carried), [['PO-7', 'joined: reference', 'PO-7']]);
  assert.equal(carried.rungs[0].office.title, '480 recorded');
  assert.equal(carried.done, true);
});

// Weeks. The 7th of September 2026 is a Monday.

const attended = (date, badge_no, hours = 8) => row(`att_${date}_${badge_no}`, { date, badge_no, hours });

test('a week is no gap before it is over, and one until its timesheet is there', async () => {
  const attendance = [attended('2026-09-07', 'A'), attended('2026-09-11', 'A')];
  const on = sim_date => ({ now: present({ sim_date }) });
  const [running] = await told({ attendance }, on('2026-09-11'));
  assert.deepEqual(joins(running), [[null, 'later: after Friday', 'week of Mon 7 Sep']]);
  const [over] = await told({ attendance }, on('2026-09-14'));
  assert.deepEqual(joins(over), [[null, 'gap: no timesheet', 'week of Mon 7 Sep']]);
  const payroll_run = [row('prl_1', { week_start: '2026-09-07', status: 'paid' })];
  const [collected] = await told({ attendance, payroll_run }, on('2026-09-21'));
  assert.deepEqual(joins(collected), [[null, 'broken: no timesheet', 'week of Mon 7 Sep']]);
  assert.deepEqual([collected.gaps, collected.lost, collected.rungs[0].join.request], [0, 1, undefined]);
  const timesheet = [row('ts_1', { week_start: '2026-09-07', entries: [{}], source: 'bridge' })];
  const [carried] = await told({ attendance, timesheet }, on('2026-09-14'));
  assert.deepEqual(joins(carried), [['week of Mon 7 Sep', 'joined: week_start', 'week of Mon 7 Sep']]);
  assert.equal(carried.done, true);
});

test('a week goes from Monday to Sunday and counts each person once', async () => {
  const all = await told(
    {
      attendance: [
        attended('2026-09-07', 'A'),
        attended('2026-09-07', 'B', 4),
        attended('2026-09-13', 'A', 2),
        attended('2026-09-14', 'A'),
      ],
    },
    { now: present({ sim_date: '2026-09-16' }) },
  );
  const cards = new Map(all.map(s => [s.key, s.rungs[0].factory]));
  assert.deepEqual([...cards.keys()].sort(), ['week2026-09-07', 'week2026-09-14']);
  assert.equal(cards.get('week2026-09-07').title, '14 hours at the gate');
  assert.equal(cards.get('week2026-09-07').foot, '2 people');
  assert.equal(cards.get('week2026-09-14').title, '8 hours at the gate');
});

// All of them.

test('gaps come first, the oldest before all, then the newest stories', async () => {
  const all = await told({
    sales_order: [
      order('received', { id: 'so_1', created_at: '2026-09-07T08:00:00Z' }),
      order('accepted', { id: 'so_2', created_at: '2026-09-07T08:10:00Z', updated_at: '2026-09-07T11:00:00Z' }),
      order('received', { id: 'so_3', created_at: '2026-09-07T08:20:00Z' }),
    ],
    factory_requisition: [short({ id: 'frq_1', status: 'open', created_at: '2026-09-07T10:00:00Z' })],
    factory_goods_receipt: [row('grc_1', { created_at: '2026-09-07T12:00:00Z', lines: [] })],
  });
  assert.deepEqual(
    all.map(s => s.key),
    ['requisitionfrq_1', 'orderso_2', 'receiptgrc_1', 'orderso_3', 'orderso_1'],
  );
});

test('a company without records has no stories', async () => {
  assert.deepEqual(await told({}), []);
});

test('every story is of a kind that the page can choose', async () => {
  const all = await told({
    sales_order: [order('accepted')],
    contract_lot: [lot('accepted')],
    work_order: [work('so_typo')],
    factory_requisition: [short({ status: 'open' })],
    factory_goods_receipt: [row('grc_1', { lines: [] })],
    attendance: [attended('2026-09-07', 'A')],
  });
  assert.deepEqual([...new Set(all.map(s => s.kind))].sort(), handoffs.map(([kind]) => kind).sort());
  assert.equal(new Set(all.map(s => s.key)).size, all.length);
});

// The request that closes a gap.

const requestOf = strand => strand.rungs.find(r => r.join.state === 'gap').join.request;

test('an accepted order is carried by its id, and under a key that names it', async () => {
  const [s] = await told({ sales_order: [order('accepted', { sku: 'prd_notebook' })] });
  assert.deepEqual(requestOf(s), {
    method: 'POST',
    path: '/factory/work-orders',
    system: 'factory',
    key: 'carry-so_1',
    body: { sku: 'prd_notebook', quantity: 250, reference: 'so_1', due_date: '2026-09-14' },
  });
});

test('a lot is due when it is to be delivered', async () => {
  const [s] = await told({ contract_lot: [lot('accepted', { sku: 'prd_paperback' })] });
  assert.equal(requestOf(s).body.due_date, '2026-09-21');
});

test('a parcel is billed to the order or the lot that it went to', async () => {
  const [s] = await told({
    sales_order: [order('in_production')],
    work_order: [work('so_1')],
    factory_shipment: [parcel('SO_1')],
  });
  const { path, system, key, body } = requestOf(s);
  assert.deepEqual([path, system, key], ['/office/shipments', 'office', 'carry-fs_1']);
  assert.deepEqual(body, { sales_order_id: 'so_1', factory_shipment_ref: 'fs_1' });
  const [l] = await told({
    contract_lot: [lot('accepted')],
    work_order: [work('lot_1')],
    factory_shipment: [parcel('lot_1')],
  });
  assert.deepEqual(requestOf(l).body, { contract_lot_id: 'lot_1', factory_shipment_ref: 'fs_1' });
});

test('a week is carried as the hours of each badge, its absences by the day', async () => {
  const day = (badge_no, date, hours, absence = 'none') =>
    row(`att_${badge_no}_${date}`, { badge_no, date, hours, absence });
  const [s] = await told(
    {
      attendance: [
        day('1002', '2026-09-07', 8),
        day('1001', '2026-09-07', 8),
        day('1001', '2026-09-08', 9),
        day('1002', '2026-09-08', 0, 'sick'),
        day('1002', '2026-09-09', 0, 'leave'),
      ],
    },
    { now: { ...present, sim_date: '2026-09-15' } },
  );
  assert.equal(s.oldestOn, '2026-09-11', 'a week can be carried from its Friday on');
  assert.deepEqual(requestOf(s), {
    method: 'POST',
    path: '/office/timesheets',
    system: 'office',
    key: 'carry-week-2026-09-07',
    body: {
      week_start: '2026-09-07',
      entries: [
        { badge_no: '1001', hours_worked: 17, hours_sick: 0, hours_leave: 0 },
        { badge_no: '1002', hours_worked: 8, hours_sick: 8, hours_leave: 8 },
      ],
    },
  });
});

test('goods are recorded for the order on the delivery note, and have no request until it is known', async () => {
  const goods = row('gr_1', {
    purchase_order_number: 'PO-1',
    received_on: '2026-09-09',
    lines: [{ sku: 'mat_ink', quantity_advised: 5, quantity_accepted: 4, quantity_rejected: 1 }],
  });
  const [unknown] = await told({ factory_goods_receipt: [goods] });
  assert.equal(requestOf(unknown), undefined);
  const [known] = await told({ factory_goods_receipt: [goods], purchase_order: [row('po_1', { number: 'PO-1' })] });
  assert.deepEqual(requestOf(known).body, {
    purchase_order_id: 'po_1',
    reference: 'gr_1',
    lines: [{ sku: 'mat_ink', quantity_accepted: 4, quantity_rejected: 1 }],
  });
});
