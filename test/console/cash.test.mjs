import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Server, change, json, sandbox } from './server.mjs';
import { until } from './until.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as store from '../../internal/publish/web/static/lib/store.js';

const { dangerOf, kindsOf, missedBy, withinSpan } = await import('../../internal/publish/web/static/console/parts.js');

const today = '2026-09-21'; // a Monday

test('a span is yesterday, the last five working days, or everything', () => {
  const days = ['2026-09-21', '2026-09-18', '2026-09-15', '2026-09-14', '2026-09-07'];
  const within = span => days.filter(withinSpan(span, today));
  assert.deepEqual(within('yesterday'), ['2026-09-18']);
  assert.deepEqual(within('days'), ['2026-09-21', '2026-09-18', '2026-09-15']);
  assert.deepEqual(within('opening'), days);
});

test('entries are added up by their kinds, the largest first', () => {
  const entry = (kind, amount_minor) => ({ kind, amount_minor });
  const entries = [entry('wages', -300), entry('payment', 100), entry('wages', -50), entry('payment', 500)];
  assert.deepEqual(kindsOf(entries), [
    ['payment', 600, 2],
    ['wages', -350, 2],
  ]);
});

test('an order that nobody answered says so', () => {
  assert.equal(missedBy({ id: 'so_1', expired_reason: 'answer_lapsed' }), 'never answered');
  assert.equal(missedBy({ id: 'so_1', expired_reason: 'delivery_missed' }), 'not delivered in time');
});

const connected = async records => {
  session.value = sandbox;
  new Server({ state: () => json({ data: change({ records }) }) });
  store.connect();
  await until(() => store.link.value.state === 'live');
};

test('an order that was not delivered says how far it came', async () => {
  const work = (id, more) => ({ id: `wo_${id}`, reference: id, quantity_good: 0, quantity_shipped: 0, ...more });
  await connected({
    work_order: [work('so_1'), work('so_2', { quantity_good: 5 }), work('so_3', { quantity_shipped: 5 })],
  });
  assert.deepEqual(
    ['so_1', 'so_2', 'so_3', 'so_4'].map(id => missedBy({ id, expired_reason: 'delivery_missed' })),
    ['never printed', 'printed and never shipped', 'shipped and never billed', 'never sent to the Factory'],
  );
  store.forget();
});

test('a list of which the first state has as many rows as it may is not whole', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({ id: `wo_${i}` }));
  await connected({ work_order: rows, sales_order: rows.slice(1) });
  assert.deepEqual(['work_order', 'sales_order', 'ledger_entry'].map(store.whole), [false, true, true]);
  assert.equal(missedBy({ id: 'so_1', expired_reason: 'delivery_missed' }), 'not delivered in time');
  store.forget();
});

const status = more => ({
  cash_minor: 5_000_000,
  overdraft_limit_minor: 1_000_000,
  reputation: 60,
  clock: { day_number: 10 },
  ...more,
});
const expired = (expired_reason, on = today) => ({
  status: 'expired',
  expired_reason,
  answer_by: on,
  cancel_after: on,
});
const shipped = { status: 'shipped', shipped_on: today };
const danger = (more, orders = [], ledger = []) => dangerOf(status(more), orders, ledger, today);

test('a company that does well is in no danger', () => {
  assert.equal(danger({}, [expired('answer_lapsed'), shipped, shipped]), null);
  assert.equal(danger({}, [expired('answer_lapsed'), expired('answer_lapsed'), shipped]), null, 'too few to tell');
  assert.equal(
    danger(
      {},
      Array.from({ length: 9 }, () => expired('answer_lapsed', '2026-08-03')),
    ),
    null,
    'long ago',
  );
});

test('most orders that expire are a danger, and the way out is an answer', () => {
  const lost = [expired('answer_lapsed'), expired('answer_lapsed'), expired('delivery_missed'), shipped];
  assert.deepEqual(danger({ reputation: 0.4 }, lost), {
    text: '3 of the last 4 orders expired, 2 of them unanswered, and reputation is 0.',
    href: '/console/office/sales-orders',
    name: 'See the orders',
    state: 'expired',
  });
  const waiting = danger({}, [...lost.slice(0, 2), expired('answer_lapsed'), { status: 'received' }]);
  assert.equal(waiting.text, 'All of the last 3 orders expired unanswered.');
  assert.equal(waiting.state, 'received');
});

test('cash below zero comes first, and falling cash before it is there', () => {
  assert.match(
    danger({ cash_minor: -12_300 }).text,
    /^Cash is 123 below zero: the company is bankrupt at \u221210,000, or if it stays there/,
  );
  const lost = Array.from({ length: 3 }, () => expired('answer_lapsed'));
  assert.match(danger({ cash_minor: -12_300 }, lost).text, /there\. All of the last 3 orders expired unanswered\.$/);
  const spent = amount_minor => [{ entry_on: today, amount_minor }];
  assert.equal(danger({}, [], spent(-3_000_000)).text, 'At the rate of the last 5 days, cash lasts 10 more.');
  assert.equal(danger({}, [], spent(-1_000_000)), null);
  assert.equal(danger({ clock: { day_number: 2 } }, [], spent(-3_000_000)), null, 'too early to tell');
});
