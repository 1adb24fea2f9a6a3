import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Server, change, json, sandbox } from './server.mjs';
import { until } from './until.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as store from '../../internal/publish/web/static/lib/store.js';
import { docs, matching, records, score } from '../../internal/publish/web/static/lib/find.js';

async function told(rows) {
  session.value = sandbox;
  new Server({ state: () => json({ data: change({ records: rows }) }) });
  store.link.value = { state: 'connecting' };
  store.connect();
  await until(() => store.link.value.state === 'live');
}
afterEach(() => store.forget());

const company = {
  sales_order: [
    { id: 'so_1k6g7eptphv6q', number: 'SO-1001', customer_name: 'Orchard & Pine Cafés', status: 'paid' },
    { id: 'so_2k6g7eptphv6q', number: 'SO-1013', customer_name: 'Lumen Gyms', status: 'received' },
  ],
  customer: [{ id: 'cus_orchard', name: 'Orchard & Pine Cafés' }],
  employee: [{ id: 'emp_1k6g7eptphv6q', badge_no: '1003', name: 'Ines Callowane', status: 'active' }],
  stock_item: [{ id: 'itm_coated', sku: 'mat_coated', name: 'Coated paper', status: 'low' }],
};
const found = query => records(query).map(f => f.href.replace('/console/', ''));

test('a number finds its record first, in any case', async () => {
  await told(company);
  assert.equal(found('so-1013')[0], 'office/sales-orders/so_2k6g7eptphv6q');
  assert.equal(records('so-1013').length, 1);
});

test('a number that this tab does not hold leads to its page all the same', async () => {
  await told(company);
  assert.deepEqual(found('po-5001'), ['office/purchase-orders/PO-5001']);
  assert.deepEqual(found('shf_1k6g7eptphv6q'), ['factory/shipments/shf_1k6g7eptphv6q']);
  assert.deepEqual(found('evt_1k6g7eptphv6q'), ['events/evt_1k6g7eptphv6q']);
});

test('a name finds who is called that before what is theirs', async () => {
  await told(company);
  assert.deepEqual(found('orchard'), ['office/customers/cus_orchard', 'office/sales-orders/so_1k6g7eptphv6q']);
  assert.deepEqual(found('pine cafes'), ['office/customers/cus_orchard', 'office/sales-orders/so_1k6g7eptphv6q']);
});

test('badges, SKUs and ids find their records', async () => {
  await told(company);
  for (const [query, page] of [
    ['1003', 'office/employees/emp_1k6g7eptphv6q'],
    ['mat_coated', 'factory/stock/itm_coated'],
    ['emp_1k6g7eptphv6q', 'office/employees/emp_1k6g7eptphv6q'],
  ])
    assert.equal(found(query)[0], page, query);
});

test('a checkpoint is found by its name, on the page of all', async () => {
  await told({ checkpoint: [{ id: 'chk_1k6g7eptphv6q', label: 'before the rush' }] });
  assert.deepEqual(found('rush'), ['checkpoints']);
});

test('a letter finds no records, and nothing finds none', async () => {
  await told(company);
  assert.deepEqual([found(''), found('s'), found('zzz')], [[], [], []]);
});

test('the whole text fits best, then its beginning, its words, and parts of them', () => {
  const fits = ['Webhooks', 'Webhooks and more', 'Add webhooks', 'subwebhooks', 'Orders'];
  assert.deepEqual(
    fits.map(t => score(t, 'webhooks')),
    [5, 4, 3, 2, 0],
  );
});

test('pages and actions are found by another word for them, and all of them without a query', () => {
  const all = [{ title: 'Move the clock by an hour', also: 'tick' }, { title: 'Webhooks' }];
  assert.deepEqual(matching(all, 'tick'), [all[0]]);
  assert.deepEqual(matching(all, ''), all);
});

test('docs are searched with what may be no key, no id and no number', async () => {
  const asked = [];
  globalThis.fetch = async (path, options) => {
    asked.push(path, options.headers.Accept);
    return json([{ title: 'When to send again', page: 'Idempotency', path: '/docs/idempotency#when' }]);
  };
  for (const query of ['', 'r', 'lab_off_abc', `x lab_fac_${'a'.repeat(43)}`, 'whsec_x', 'SO-1013', 'so_1k6g7eptphv6q'])
    assert.deepEqual(await docs(query), [], query);
  assert.deepEqual(asked, []);
  const [first] = await docs('send again');
  assert.equal(first.href, '/docs/idempotency#when');
  assert.deepEqual(asked, ['/docs/search?q=send%20again', 'application/json']);
});
