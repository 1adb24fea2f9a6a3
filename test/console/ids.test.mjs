import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import './browser.mjs';

const { pageOf, pageOfField, pageOfPath, placeOfURL, places, resourceOf } = await import(
  '../../internal/publish/web/static/lib/navigate.js'
);
const { lists } = await import('../../internal/publish/web/static/console/catalogue.js');

// The lists in the table of operations; the tests of package openapi write the file.
const collections = JSON.parse(readFileSync(new URL('./testdata/collections.json', import.meta.url), 'utf8'));
const some = '1k6g7eptphv6q';

test('each collection of the API has a page', () => {
  for (const { path, resource, prefix } of collections) {
    const place = places.find(p => p[1] === resource);
    assert.ok(place, `no page shows ${path}`);
    assert.ok(pageOfPath(`/v1${path}`).startsWith('/console/'), path);
    if (!prefix) continue;
    const id = `${prefix}_${some}`;
    assert.equal(resourceOf(id), resource, id);
    assert.ok(pageOf(id).startsWith(`/console/${place[0]}`), `${id} leads to ${pageOf(id)}`);
    if (path.includes('{id}')) continue;
    assert.equal(pageOfPath(`/v1${path}/${id}`), pageOf(id), path);
  }
});

test('no page is for a collection that the API does not have', () => {
  for (const [page, resource] of places) {
    if (['event', 'call'].includes(resource)) continue; // the feed, and the log of it all
    assert.ok(
      collections.some(c => c.resource === resource),
      `${page} shows ${resource}`,
    );
  }
});

test('the pages of records list what their addresses say', () => {
  for (const [system, all] of Object.entries(lists))
    for (const [list, resource] of all) assert.equal(places.find(p => p[0] === `${system}/${list}`)?.[1], resource);
  for (const [page, resource] of places) {
    const [system, list] = page.split('/');
    if (list)
      assert.ok(
        lists[system].some(l => l[0] === list && l[1] === resource),
        page,
      );
  }
});

test('ids without a number of their own are known by their beginnings', () => {
  const pages = {
    [`evt_${some}`]: `/console/events/evt_${some}`,
    [`req_${some}`]: `/console/requests/req_${some}`,
    [`whd_${some}`]: `/console/webhooks/whd_${some}`,
    [`sbx_${some}`]: '/console/session',
    [`chk_${some}`]: '/console/checkpoints',
    cus_lumen: '/console/office/customers/cus_lumen',
    sup_mill: '/console/office/suppliers/sup_mill',
    prs_digital: '/console/factory/presses/prs_digital',
    prd_card: '/console/factory/products/prd_card',
    mat_coated: '/console/factory/stock/mat_coated',
    itm_coated: '/console/factory/stock/itm_coated',
    opr_1001: '/console/factory/operators/opr_1001',
  };
  for (const [id, page] of Object.entries(pages)) assert.equal(pageOf(id), page);
});

test('numbers on paper lead to their records', () => {
  const pages = {
    'SO-1013': 'office/sales-orders',
    'LOT-0007': 'office/contract-lots',
    'SHO-4014': 'office/shipments',
    'INV-2014': 'office/customer-invoices',
    'RQ-8006': 'office/requisitions',
    'PO-5002': 'office/purchase-orders',
    'SI-7008': 'office/supplier-invoices',
    'WO-3063': 'factory/work-orders',
    'SHF-6011': 'factory/shipments',
    'FR-9006': 'factory/requisitions',
  };
  for (const [number, page] of Object.entries(pages)) assert.equal(pageOf(number), `/console/${page}/${number}`);
});

test('other texts lead nowhere', () => {
  for (const text of ['', 'paid', 'in_production', 'price_mismatch', 'A4-1', 'Lumen Gyms', 'lab_off_x', 'SO-1', '1001'])
    assert.equal(pageOf(text), '', text);
});

test('what a field holds depends on its name and its system', () => {
  assert.equal(pageOfField('operator_badge_no', '1001', 'factory'), '/console/office/employees/1001');
  assert.equal(pageOfField('number', '1001', 'factory'), '');
  assert.equal(pageOfField('sku', 'prd_card', 'office'), '/console/office/products/prd_card');
  assert.equal(pageOfField('sku', 'prd_card', 'factory'), '/console/factory/products/prd_card');
  assert.equal(pageOfField('quantity', 3, 'factory'), '');
  assert.equal(pageOfField('self', `/office/sales-orders/so_${some}`), `/console/office/sales-orders/so_${some}`);
});

test('paths of commands, tables and pages lead to the record or the list', () => {
  const pages = {
    [`/v1/office/sales-orders/so_${some}/accept`]: `/console/office/sales-orders/so_${some}`,
    '/v1/office/sales-orders?status=received': '/console/office/sales-orders',
    '/v1/office/sales-orders.csv': '',
    '/v1/events/poll': '/console/events',
    [`/v1/webhooks/whk_${some}/deliveries/whd_${some}/redeliver`]: `/console/webhooks/whk_${some}`,
    [`https://platen.example/v1/factory/print-runs/pr_${some}`]: `/console/factory/print-runs/pr_${some}`,
    '/v1/missions/first_call': '/console/missions',
    '/v1/sandbox/tick': '/console/session',
    '/v1/sandbox/faults': '/console/faults',
    '/v1/sandbox/triggers': '/console/faults',
    [`/v1/sandbox/checkpoints/chk_${some}`]: '/console/checkpoints',
    '/v1/sandbox/achievements/on_the_dot': '/console/world/achievements/on_the_dot',
    '/v1/office/market/mat_coated': '/console/office/market/mat_coated',
    [`/v1/office/market/trades/mtr_${some}`]: `/console/office/market-trades/mtr_${some}`,
    '/v1/nothing': '',
    'not a path': '',
  };
  for (const [path, page] of Object.entries(pages)) assert.equal(pageOfPath(path), page, path);
});

test('addresses of before lead to the pages that have what was there', () => {
  const pages = {
    '/console/session#faults': '/console/faults',
    '/console/session#triggers': '/console/faults',
    '/console/session#checkpoints': '/console/checkpoints',
    '/console/world/checkpoints': '/console/checkpoints',
    [`/console/world/checkpoints/chk_${some}`]: '/console/checkpoints',
    '/console/session': '/console/session',
    '/console/session#end': '/console/session',
    '/console/world/achievements': '/console/world/achievements',
  };
  for (const [address, page] of Object.entries(pages))
    assert.equal(placeOfURL(new URL(address, 'http://platen.example')), page);
});
