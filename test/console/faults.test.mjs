import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { json, keys, sandbox } from './server.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as faults from '../../internal/publish/web/static/lib/faults.js';

const rule = more => ({ kind: 'storm', share: 0.01, operations: [], from_minute: 0, to_minute: null, ...more });

beforeEach(() => {
  session.value = sandbox;
});

const known = [{ kind: 'request_lost', writes: true }, { kind: 'storm' }, { kind: 'webhook_late', webhook: true }];

test('kinds stand under what meets them', () => {
  const all = [{ kind: 'webhook_late', webhook: true }, { kind: 'storm' }, { kind: 'outage' }];
  assert.deepEqual(
    faults.grouped(all).map(([name, of]) => [name, of.map(k => k.kind)]),
    [
      ['Requests', ['storm', 'outage']],
      ['Webhooks', ['webhook_late']],
    ],
  );
  assert.deepEqual(
    faults.grouped(all.slice(1)).map(([name]) => name),
    ['Requests'],
  );
});

test('shares are per cent, without what counting in binary leaves behind', () => {
  assert.deepEqual([1, 0.3, 0.07, 0.005, 0.000001, 0].map(faults.percent), [
    '100 %',
    '30 %',
    '7 %',
    '0.5 %',
    '0.0001 %',
    '0 %',
  ]);
});

test('a plan has its name and its shares, and what is injected alone is no plan', () => {
  assert.equal(faults.planOf(null), null);
  assert.equal(faults.planOf({ plan: null, rules: [], pending: [{ kind: 'storm', count: 2 }] }), null);
  assert.deepEqual(faults.planOf({ plan: 'double_work', rules: [rule()] }), {
    name: 'double work',
    shares: [{ kind: 'storm', share: '1 %', when: '' }],
  });
  const of = more => faults.planOf({ plan: null, rules: [rule(more)] });
  assert.equal(of().name, 'rules of its own');
  assert.equal(of({ operations: ['create_work_order', 'get_cash'] }).shares[0].when, 'create work order, get cash');
  assert.equal(of({ from_minute: 480 }).shares[0].when, 'from minute 480');
  assert.equal(
    of({ operations: ['get_cash'], from_minute: 0, to_minute: 960 }).shares[0].when,
    'get cash; minutes 0 to 960',
  );
});

test('an armed fault says what it waits for', () => {
  document.getElementById = () => ({ textContent: JSON.stringify(known) });
  assert.deepEqual(
    faults.pendingOf({
      pending: [
        { kind: 'request_lost', count: 1, operations: [] },
        { kind: 'storm', count: 3, operations: [] },
        { kind: 'webhook_late', count: 1, operations: [] },
        { kind: 'storm', count: 1, operations: ['create_work_order'] },
      ],
    }),
    [
      ['request lost', 'for the next write'],
      ['storm', 'for the next request, 3 times'],
      ['webhook late', 'for the next delivery'],
      ['storm', 'for the next create work order'],
    ],
  );
  assert.deepEqual(faults.pendingOf(null), []);
});

test('a count is a whole number from 1 to 100', () => {
  assert.deepEqual(['1', '100', '0', '101', '1.5', '', 'two', '-1'].map(faults.countOf), [
    1,
    100,
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
});

test('a fault leads to its request, or to the webhook of its delivery, where the console has it', () => {
  const of = (more, known = {}) =>
    faults.struck({ request_id: null, operation: null, delivery_id: null, ...more }, known);
  assert.deepEqual(of({ request_id: 'req_1', operation: 'get_cash' }, { call: { id: 'req_1' } }), {
    text: 'get cash',
    href: '/console/requests/req_1',
  });
  assert.deepEqual(of({ delivery_id: 'dlv_1' }, { delivery: { webhook_id: 'wh_1' } }), {
    text: 'delivery dlv_1',
    href: '/console/webhooks/wh_1',
  });
  assert.deepEqual(of({ request_id: 'req_1', operation: 'get_cash' }), { text: 'get cash', href: null });
  assert.deepEqual(of({ delivery_id: 'dlv_1' }), { text: 'delivery dlv_1', href: null });
  assert.deepEqual(of({}), { text: 'a delivery', href: null });
});

test('the document has the kinds, and a fault is injected with a key', async () => {
  document.getElementById = () => ({ textContent: JSON.stringify(known) });
  assert.equal(faults.kindOf('storm').kind, 'storm');
  const asked = [];
  globalThis.fetch = async (path, { method, headers, body }) => {
    asked.push([method, path, new Headers(headers).get('Authorization'), body]);
    return json({ data: { kind: 'storm', count: 5 } });
  };
  await faults.inject('storm', 2, '');
  await faults.inject('storm', 1, 'get_cash');
  const sent = ['POST', '/v1/sandbox/faults', `Bearer ${keys.office_key}`];
  assert.deepEqual(asked, [
    [...sent, '{"kind":"storm","count":2}'],
    [...sent, '{"kind":"storm","count":1,"operations":["get_cash"]}'],
  ]);
});
