import assert from 'node:assert/strict';
import { test } from 'node:test';
import './server.mjs';

const { helping, shortOf } = await import('../../internal/publish/web/static/console/repair.js');
const { plain } = await import('../../internal/publish/web/static/lib/format.js');

const paper = {
  kind: 'material_missing',
  records: [{ id: 'itm_1', number: 'mat_coated' }],
  command: { path: '/office/purchase-orders', body: { supplier_id: 'sup_1', lines: [{ sku: 'mat_coated' }] } },
};
const wages = { kind: 'wages_due', records: [], command: { path: '/office/payroll-runs', body: {} } };
const press = { kind: 'press_down', records: [{ id: 'prs_offset', number: '' }], command: null };

const helps = request => helping([paper, wages, press], request).map(i => i.kind);

test('what helps is about what the request was about, or what its refusal names, and has a command', () => {
  const path = '/v1/factory/print-runs';
  assert.deepEqual(helps({ path, sent: { press_id: 'prs_offset' }, error: { details: { sku: 'mat_coated' } } }), [
    'material_missing',
  ]);
  assert.deepEqual(helps({ path, sent: { press_id: 'prs_offset' }, error: {} }), []);
  assert.deepEqual(helps({ path: '/v1/factory/stock/itm_1', sent: undefined, error: null }), ['material_missing']);
});

test('another run on the same press does not help, and of what is on the way the truck is shown', () => {
  const run = {
    kind: 'press_idle',
    records: [{ id: 'prs_offset', resource: 'press', number: 'Offset press' }],
    command: { path: '/factory/print-runs', body: { press_id: 'prs_offset', work_order_ids: ['wo_2'] } },
  };
  const ordered = {
    kind: 'material_missing',
    records: [
      { id: 'itm_1', resource: 'stock_item', number: 'mat_coated' },
      { id: 'po_1', resource: 'purchase_order', number: 'PO-5002' },
    ],
    command: null,
  };
  const truck = {
    kind: 'truck_waits',
    records: [{ id: 'dlv_1', resource: 'delivery', number: 'PO-5002' }],
    command: { path: '/factory/goods-receipts', body: { delivery_id: 'dlv_1' } },
  };
  const request = {
    path: '/v1/factory/print-runs',
    sent: { press_id: 'prs_offset', work_order_ids: ['wo_1'] },
    error: { details: { shortages: [{ sku: 'mat_coated', needed: 10, on_hand: 4 }] } },
  };
  assert.deepEqual(
    helping([run, truck, ordered], request).map(i => i.kind),
    ['material_missing', 'truck_waits'],
  );
  assert.deepEqual(
    shortOf(request.error).map(s => [s.sku, s.lacks, s.order]),
    [['mat_coated', 6, undefined]],
  );
});

test('the texts of the API are shown with the dates and amounts of the console', () => {
  assert.equal(
    plain('SO-1009 lapses by 2026-09-17; it lacks 28280 sheets, and costs -4388.28 XTS.'),
    'SO-1009 lapses by Thu 17 Sep; it lacks 28,280 sheets, and costs \u22124,388.28 XTS.',
  );
  assert.equal(plain('Orders worth 8076.15 XTS lapse.'), 'Orders worth 8,076.15 XTS lapse.');
  assert.equal(plain('-1234.05 XTS and 1000.00 XTS'), '\u22121,234.05 XTS and 1,000.00 XTS');
  assert.equal(plain('It pays 0.50 XTS of -0.50 XTS.'), 'It pays 0.50 XTS of \u22120.50 XTS.');
});
