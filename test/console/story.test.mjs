import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, change, json, sandbox } from './server.mjs';
import { until } from './until.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as store from '../../internal/publish/web/static/lib/store.js';
import { storyOf } from '../../internal/publish/web/static/console/story.js';

// told gives the store a company.
async function told(records) {
  session.value = sandbox;
  new Server({ state: () => json({ data: change({ records }) }) });
  store.link.value = { state: 'connecting' };
  store.connect();
  await until(() => store.link.value.state === 'live');
}
afterEach(() => store.forget());

// trail is the trail of a record as ids, and in brackets where it is or what is missing.
const trail = (resource, id) =>
  storyOf(resource, store.row(resource, id)).map(s => (s.missing ? `(${s.text})` : s.here ? `[${s.id}]` : s.id));

const day = { created_on: '2026-09-07' };
const order = {
  sales_order: [
    { id: 'so_1', number: 'SO-1001', status: 'paid', quantity: 10, product_name: 'Cards', ...day },
    { id: 'so_2', number: 'SO-1002', status: 'accepted', quantity: 5, product_name: 'Cards', ...day },
  ],
  work_order: [
    { id: 'wo_1', number: 'WO-1', reference: 'SO-1001', quantity: 10, product_name: 'Cards', ...day },
    { id: 'wo_2', number: 'WO-2', reference: 'so_2', quantity: 5, product_name: 'Cards', ...day },
    { id: 'wo_9', number: 'WO-9', reference: null, quantity: 5, product_name: 'Cards', ...day },
  ],
  print_run: [
    { id: 'pr_1', items: [{ work_order_id: 'wo_1' }], sheets_planned: 9, started_sim: '2026-09-07T08:30', ...day },
    { id: 'pr_2', items: [{ work_order_id: 'wo_1' }, { work_order_id: 'wo_2' }], sheets_planned: 9, ...day },
  ],
  factory_shipment: [{ id: 'shf_1', number: 'SHF-1', reference: 'so_1', work_order_id: 'wo_1', quantity: 10, ...day }],
  office_shipment: [{ id: 'sho_1', number: 'SHO-1', sales_order_id: 'so_1', quantity: 10, ...day }],
  customer_invoice: [{ id: 'cin_1', number: 'INV-1', sales_order_id: 'so_1', total_minor: 5, status: 'paid', ...day }],
  payment: [{ id: 'pay_1', customer_invoice_id: 'cin_1', amount_minor: 5, payer_name: 'Lumen', ...day }],
  ledger_entry: [{ id: 'led_1', reference_id: 'pay_1', amount_minor: 5, balance_minor: 5, kind: 'customer_payment' }],
};
const paid = ['so_1', 'wo_1', 'pr_1', 'pr_2', 'shf_1', 'sho_1', 'cin_1', 'pay_1', 'led_1'];

test('an order has its work, its runs, its parcel, its bill and its payment, also by its number', async () => {
  await told(order);
  assert.deepEqual(
    trail('sales_order', 'so_1'),
    paid.map(id => (id === 'so_1' ? '[so_1]' : id)),
  );
});

test('each record of an order has the trail of the order', async () => {
  await told(order);
  const resources = [
    'work_order',
    'factory_shipment',
    'office_shipment',
    'customer_invoice',
    'payment',
    'ledger_entry',
  ];
  for (const resource of ['print_run', ...resources]) {
    const { id } = order[resource][0];
    assert.deepEqual(
      trail(resource, id),
      paid.map(other => (other === id ? `[${id}]` : other)),
    );
  }
});

test('an order says what is missing', async () => {
  await told(order);
  assert.deepEqual(trail('sales_order', 'so_2'), ['[so_2]', 'wo_2', 'pr_2', '(not shipped yet)', '(not billed yet)']);
});

test('a gang run has the orders and the work orders that it prints', async () => {
  await told(order);
  assert.deepEqual(trail('print_run', 'pr_2'), ['so_1', 'so_2', 'wo_1', 'wo_2', '[pr_2]']);
});

test('a work order without an order has no trail but what was made of it', async () => {
  await told(order);
  assert.deepEqual(trail('work_order', 'wo_9'), []);
});

const goods = lines => lines.map(quantity_accepted => ({ sku: 'mat_coated', quantity_accepted }));
const purchase = {
  factory_requisition: [{ id: 'frq_1', number: 'FR-1', sku: 'mat_coated', quantity: 9, status: 'closed', ...day }],
  office_requisition: [
    { id: 'rqn_1', number: 'RQ-1', reference: 'frq_1', purchase_order_id: 'po_1', lines: [], ...day },
  ],
  purchase_order: [
    { id: 'po_1', number: 'PO-5001', requisition_id: 'rqn_1', supplier_id: 'sup_mill', lines: [], ...day },
    { id: 'po_2', number: 'PO-5002', requisition_id: null, supplier_id: 'sup_mill', lines: [], ...day },
  ],
  delivery: [{ id: 'dlv_1', purchase_order_number: 'PO-5001', lines: [{ quantity_advised: 9 }], ...day }],
  factory_goods_receipt: [{ id: 'grf_1', purchase_order_number: 'PO-5001', lines: goods([9]), ...day }],
  office_goods_receipt: [{ id: 'gro_1', purchase_order_id: 'po_1', reference: 'grf_1', lines: goods([9]), ...day }],
  supplier_invoice: [
    { id: 'sin_1', number: 'SI-1', purchase_order_id: 'po_1', billed_minor: 5, lines: [], ...day },
    { id: 'sin_2', number: 'SI-2', purchase_order_id: null, billed_minor: 5, lines: [], ...day },
  ],
  ledger_entry: [
    { id: 'led_1', reference_id: 'sin_1', amount_minor: -5, balance_minor: 5, kind: 'supplier_payment' },
    { id: 'led_2', reference_id: 'sin_2', amount_minor: -5, balance_minor: 0, kind: 'overhead' },
  ],
};

test('a bill has the way of its goods, from the shortage to the cash', async () => {
  await told(purchase);
  const way = ['frq_1', 'rqn_1', 'po_1', 'dlv_1', 'grf_1', 'gro_1', 'sin_1', 'led_1'];
  for (const [resource, records] of Object.entries(purchase)) {
    const { id } = records[0];
    assert.deepEqual(
      trail(resource, id),
      way.map(other => (other === id ? `[${id}]` : other)),
      resource,
    );
  }
});

test('a bill without an order has its payment', async () => {
  await told(purchase);
  assert.deepEqual(trail('supplier_invoice', 'sin_2'), ['[sin_2]', 'led_2']);
  assert.deepEqual(trail('purchase_order', 'po_2'), []);
});

const people = {
  employee: [{ id: 'emp_1', badge_no: '1001', name: 'Mara', role: 'operator', status: 'active', ...day }],
  operator: [{ id: 'opr_1001', badge_no: '1001', role: 'operator', present: true, ...day }],
  attendance: [
    { id: 'att_1', badge_no: '1001', date: '2026-09-07', hours: 8, absence: 'none', ...day },
    { id: 'att_2', badge_no: '1002', date: '2026-09-07', hours: 8, absence: 'none', ...day },
  ],
  leave_request: [{ id: 'lvr_1', employee_id: 'emp_1', days: 2, from_date: '2026-09-09', ...day }],
  timesheet: [{ id: 'tms_1', week_start: '2026-09-07', entries: [{ employee_id: 'emp_1' }], ...day }],
  payroll_run: [{ id: 'prl_1', week_start: '2026-09-07', timesheet_id: 'tms_1', total_minor: 5, ...day }],
  ledger_entry: [{ id: 'led_1', reference_id: 'prl_1', amount_minor: -5, balance_minor: 5, kind: 'payroll' }],
};

test('an employee is at the gate by the badge, and is paid', async () => {
  await told(people);
  const all = ['emp_1', 'opr_1001', 'att_1', 'lvr_1', 'tms_1', 'prl_1'];
  assert.deepEqual(
    trail('employee', 'emp_1'),
    all.map(id => (id === 'emp_1' ? '[emp_1]' : id)),
  );
  assert.deepEqual(
    trail('operator', 'opr_1001'),
    all.map(id => (id === 'opr_1001' ? '[opr_1001]' : id)),
  );
});

test('a day at the gate leads to the wages of its week', async () => {
  await told(people);
  assert.deepEqual(trail('attendance', 'att_1'), ['emp_1', '[att_1]', 'tms_1', 'prl_1', 'led_1']);
  assert.deepEqual(trail('payroll_run', 'prl_1'), ['tms_1', '[prl_1]', 'led_1']);
});
