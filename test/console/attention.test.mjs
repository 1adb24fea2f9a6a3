import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import './server.mjs';

const attention = await import('../../internal/publish/web/static/console/needs.js');
const { sentence } = await import('../../internal/publish/web/static/lib/format.js');

const work = {
  system: 'factory',
  resource: 'work_order',
  id: 'wo_1',
  number: 'WO-3001',
  path: '/factory/work-orders/wo_1',
};

test('the records of an item lead to their pages, and those that are not shown are counted', () => {
  const hook = { system: 'sandbox', resource: 'webhook', id: 'whk_1', number: '', path: '/webhooks/whk_1' };
  assert.deepEqual(attention.recordsOf({ records: [work, hook], record_count: 12 }), {
    records: [
      { id: 'wo_1', system: 'factory', name: 'WO-3001', href: '/console/factory/work-orders/wo_1' },
      { id: 'whk_1', system: 'sandbox', name: 'Webhook whk_1', href: '/console/webhooks/whk_1' },
    ],
    more: 10,
  });
});

test('only what has a price shows one', () => {
  assert.deepEqual(
    [0, 123_456].map(cost_minor => attention.costText({ cost_minor })),
    ['', '1,235'],
  );
});

test('a title fits the number of records, and no kind is without one', () => {
  const titles = (kind, ...counts) => counts.map(record_count => attention.titleOf({ kind, record_count }));
  assert.deepEqual(titles('bill_wrong', 1, 2), [
    'A supplier bill does not match its order',
    'Supplier bills do not match their orders',
  ]);
  assert.deepEqual(titles('press_idle', 1, 4), ['A press is idle', 'Presses are idle']);
  assert.deepEqual(titles('paint_dry', 1), ['Paint dry']);
  const source = readFileSync(new URL('../../internal/operation/attention.go', import.meta.url), 'utf8');
  const kinds = /attention\.Kind .*?enum:"([^"]+)"/.exec(source)[1].split(',');
  assert.deepEqual(
    kinds.filter(kind => titles(kind, 1)[0] === sentence(kind)),
    [],
  );
});

const vacant = (role, more = {}) => ({
  kind: 'role_vacant',
  record_count: 0,
  records: [],
  command: { body: { role } },
  ...more,
});

test('a vacant role is named, and equal items have one title', () => {
  const idle = { kind: 'press_idle', record_count: 1, records: [], command: null };
  const groups = attention.grouped([vacant('finisher'), vacant('sales'), idle, vacant('bookkeeper')]);
  assert.deepEqual(groups.map(attention.titleOfGroup), [
    '2 roles are vacant',
    'A press is idle',
    'The role bookkeeper is vacant',
  ]);
  assert.equal(attention.titleOf(vacant('', { command: null })), 'A role is vacant');
});

test('what is urgent or over stays for itself', () => {
  const items = [vacant('a', { urgent: true }), vacant('b'), vacant('c', { over: true }), vacant('d')];
  assert.equal(attention.grouped(items).length, 4);
});

test('costs are counted to the evening of the next working day', () => {
  assert.deepEqual(
    ['2026-09-10', '2026-09-11'].map(attention.costBy), // a Thursday and a Friday
    ['tomorrow evening', 'Monday evening'],
  );
});

test('all that is urgent is shown at first', () => {
  const items = n => Array.from({ length: 9 }, (_, i) => [{ urgent: i < n }]);
  assert.deepEqual(
    [0, 2, 5].map(n => attention.shownFirst(items(n))),
    [3, 3, 5],
  );
});

test('a command has a name, also one that is new', () => {
  assert.deepEqual(
    ['start_print_run', 'paint_the_wall'].map(operation => attention.buttonOf({ operation })),
    ['Start the run', 'Paint the wall'],
  );
});

test('a command is a whole request with the key of its system', () => {
  const run = { operation: 'start_print_run', method: 'POST', path: '/factory/print-runs', body: { press_id: "it's" } };
  const text = attention.curlOf(run);
  assert.match(text, /^curl -gs -X POST https?:\/\/[^/]*\/v1\/factory\/print-runs /);
  assert.match(text, /\$PLATEN_FACTORY_KEY/);
  assert.match(text, /Idempotency-Key/);
  assert.ok(text.includes(`--json '{"press_id":"it'\\''s"}'`), text);
  assert.match(attention.curlOf({ ...run, path: '/webhooks/whk_1/test' }), /\$PLATEN_OFFICE_KEY/);
  assert.deepEqual(
    ['/factory/print-runs', '/office/employees', '/webhooks/whk_1/test', '/officer'].map(attention.systemOf),
    ['factory', 'office', 'shared', 'shared'],
  );
});

test('a command has a key that names its step and its record', () => {
  const key = (operation, path, body, method = 'POST') => attention.idempotencyKeyOf({ operation, method, path, body });
  assert.deepEqual(
    [
      key('accept_sales_order', '/office/sales-orders/so_1/accept'),
      key('start_print_run', '/factory/print-runs', { press_id: 'prs_digital', work_order_id: 'wo_1' }),
      key('start_print_run', '/factory/print-runs', { press_id: 'prs_offset', work_order_ids: ['wo_1', 'wo_2'] }),
      key('create_purchase_order', '/office/purchase-orders', { supplier_id: 'sup_mill', requisition_id: 'req_1' }),
      key('run_payroll', '/office/payroll-runs', { week_start: '2026-09-07' }),
      key('update_webhook', '/webhooks/whk_1', { status: 'active' }, 'PATCH'),
    ],
    ['accept-so_1', 'print-wo_1-1', 'print-wo_1-wo_2-1', 'buy-req_1', 'wages-2026-09-07', ''],
  );
});

test('a list that stands still keeps its places: what is over stays, what is new comes last', () => {
  const need = (kind, id) => ({ kind, records: [{ id }], command: null, message: kind });
  const [late, idle, paper] = [need('orders_late', 'so_1'), need('press_idle', 'prs_1'), need('material_low', 'itm_1')];
  const stood = attention.settled([late, idle], [paper, late]);
  assert.deepEqual(
    stood.map(i => [i.kind, !!i.over]),
    [
      ['orders_late', false],
      ['press_idle', true],
      ['material_low', false],
    ],
  );
  assert.deepEqual(
    attention.settled(stood, [idle, late]).map(i => [i.kind, !!i.over]),
    [
      ['orders_late', false],
      ['press_idle', false],
      ['material_low', true],
    ],
  );
});
