import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Server, change, json, sandbox } from './server.mjs';
import { until } from './until.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as store from '../../internal/publish/web/static/lib/store.js';

const { detail, said, subject } = await import('../../internal/publish/web/static/console/feed.js');

const records = {
  stock_item: [{ id: 'itm_coated', sku: 'mat_coated', name: 'Coated paper, B2' }],
  office_product: [{ id: 'prd_1', sku: 'prd_card', name: 'Business cards' }],
  customer: [{ id: 'cus_lumen', name: 'Lumen Gyms' }],
  employee: [{ id: 'emp_0001', badge_no: '1001', name: 'Marta Lindqvarn' }],
  delivery: [{ id: 'dlv_0001', purchase_order_number: 'PO-5001', supplier_name: 'Papyra Mill' }],
};

test('an event says what it is about, and what is known of it besides', async () => {
  session.value = sandbox;
  new Server({ state: () => json({ data: change({ records }) }) });
  store.connect();
  await until(() => store.link.value.state === 'live');
  const told = data => [subject({ data }), detail({ data })];
  const order = { id: 'so_0001', number: 'SO-1001', customer_id: 'cus_lumen', sku: 'prd_card', quantity: 10 };
  assert.deepEqual(told({ ...order, total_minor: 22000 }), ['SO-1001', '10 × Business cards · Lumen Gyms · 220.00']);
  assert.deepEqual(told({ id: 'itm_coated', sku: 'mat_coated' }), ['Coated paper, B2', '']);
  assert.deepEqual(told({ id: 'emp_0001', badge_no: '1001' }), ['Marta Lindqvarn', '']);
  assert.deepEqual(told({ id: 'dlv_0001' }), ['delivery for PO-5001', 'Papyra Mill']);
  assert.deepEqual(told({ id: 'on_the_dot', title: 'On the dot' }), ['On the dot', '']);
  const happened = (type, data) => said({ type, data });
  assert.equal(
    happened('office.sales_order.expired', { ...order, total_minor: 22000 }),
    'Sales order SO-1001 expired: 10 × Business cards · Lumen Gyms · 220.00.',
  );
  assert.equal(happened('factory.delivery.arrived', { id: 'dlv_0001' }), 'Delivery for PO-5001 arrived: Papyra Mill.');
  assert.equal(happened('sandbox.expiring', { id: 'sbx_1' }), 'Expiring.');
  store.forget();
});
