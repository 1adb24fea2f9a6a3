import assert from 'node:assert/strict';
import { test } from 'node:test';
import './server.mjs';
import * as score from '../../internal/publish/web/static/lib/score.js';

test('findings about the same record are put together', () => {
  const of = (id, cause) => ({ id, cause: cause && { id: cause } });
  const all = [of('order.so_1', 'so_1'), of('order.so_2', 'so_2'), of('parcel.so_1', 'so_1'), of('work.wo_1', null)];
  assert.deepEqual(
    score.byCause(all).map(g => g.map(f => f.id)),
    [['order.so_1', 'parcel.so_1'], ['order.so_2'], ['work.wo_1']],
  );
});

test('a score has three decimals, and is 1 only when it is', () => {
  assert.deepEqual([null, 0, 0.5, 0.9754, 0.99999, 1].map(score.scoreText), [
    null,
    '0.000',
    '0.500',
    '0.975',
    '0.999',
    '1.000',
  ]);
});

test('counts have a tone where there is something to count', () => {
  const judged = { due: 9, exact: 7, late: 0, missed: 2, doubled: 0, wrong: 0 };
  const counts = score.countsOf({ ...judged, unexpected: 1, repeated: 2 });
  assert.deepEqual(
    counts.map(c => [c.verdict, c.count, c.tone]),
    [
      ['exact', 7, 'ok'],
      ['late', 0, 'calm'],
      ['missed', 2, 'bad'],
      ['doubled', 0, 'calm'],
      ['wrong', 0, 'calm'],
      ['unexpected', 1, 'bad'],
      ['repeated', 2, 'bad'],
    ],
  );
  assert.deepEqual(['late', 'new_to_us'].map(score.toneOf), ['warn', 'calm']);
});

const order = { resource: 'sales_order', id: 'so_1', number: 'SO-1004', path: '/office/sales-orders/so_1' };

test('the records of a finding lead to their pages, the one that obliges first', () => {
  const work = { resource: 'work_order', id: 'wo_1', number: null, path: '/factory/work-orders/wo_1' };
  assert.deepEqual(score.recordsOf({ cause: order, effects: [work] }), [
    { id: 'so_1', system: 'office', name: 'SO-1004', href: '/console/office/sales-orders/so_1' },
    { id: 'wo_1', system: 'factory', name: 'work order wo_1', href: '/console/factory/work-orders/wo_1' },
  ]);
  assert.deepEqual(
    score.recordsOf({ cause: null, effects: [work] }).map(r => r.id),
    ['wo_1'],
  );
  const week = {
    resource: 'attendance',
    id: '2026-09-07',
    number: null,
    path: '/factory/attendance?week_start=2026-09-07',
  };
  assert.equal(score.recordsOf({ cause: week, effects: [] })[0].href, '/console/factory/attendance');
});

test('the first events of a finding are shown, and how many more there are', () => {
  const events = Array.from({ length: 9 }, (_, i) => ({
    seq: i + 1,
    id: `evt_${i + 1}`,
    type: 'office.sales_order.accepted',
  }));
  const of = score.eventsOf({ events });
  assert.deepEqual([of.events.length, of.more], [6, 3]);
  assert.deepEqual(of.events[0], { ...events[0], short: 'sales order accepted', href: '/console/events/evt_1' });
  assert.equal(score.eventsOf({ events: events.slice(0, 2) }).more, 0);
});

test('a program hears what it recovered itself, and what became of the rest', () => {
  assert.equal(
    score.clientText({ hit: 16, recovered: 12, saved: 2, abandoned: 1 }),
    'Your program recovered 12 of 16 requests that a fault hit; 2 saved by a check of the company; 1 abandoned; ' +
      '1 done again',
  );
  assert.equal(
    score.clientText({ hit: 1, recovered: 1, saved: 0, abandoned: 0 }),
    'Your program recovered 1 of 1 request that a fault hit',
  );
});
