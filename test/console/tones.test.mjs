import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import './browser.mjs';

const { isLate, toneOf } = await import('../../internal/publish/web/static/console/parts.js');
const statuses = JSON.parse(readFileSync(new URL('./testdata/statuses.json', import.meta.url), 'utf8'));

test('every status of the API has a colour of its own kind', () => {
  const over = ['declined', 'expired', 'closed', 'deleted', 'idle', 'over', 'left', 'not_applicable'];
  const grey = statuses.filter(status => toneOf(status) === 'calm');
  assert.deepEqual(
    grey.filter(status => !over.includes(status)),
    [],
  );
});

test('the states of an order are told apart', () => {
  assert.deepEqual(
    ['received', 'in_production', 'paid', 'overdue', 'expired', 'declined'].map(status => toneOf(status)),
    ['wait', 'work', 'ok', 'warn', 'calm', 'calm'],
  );
  assert.equal(toneOf('received', 'delivery'), 'ok');
  assert.equal(toneOf('running', 'lore_event'), 'warn');
});

test('a truck waits for too long after a working day at the gate', () => {
  const truck = status => ({ status, arrived_on: '2026-09-11' }); // a Friday
  assert.deepEqual(
    ['2026-09-11', '2026-09-14', '2026-09-15'].map(today => isLate(truck('arrived'), 'arrived_on', today)),
    [false, false, true],
  );
  assert.equal(isLate(truck('received'), 'arrived_on', '2026-10-15'), false);
});

test('a date is overdue by the day of the company, until its record is settled', () => {
  const order = status => ({ status, due_date: '2026-09-10', received_on: '2026-09-01' });
  assert.deepEqual(
    ['accepted', 'in_production', 'shipped', 'paid', 'declined'].map(s => isLate(order(s), 'due_date', '2026-09-11')),
    [true, true, false, false, false],
  );
  assert.equal(isLate(order('accepted'), 'due_date', '2026-09-10'), false);
  assert.equal(isLate(order('accepted'), 'due_date', undefined), false);
  assert.equal(isLate(order('accepted'), 'received_on', '2026-09-11'), false);
  const purchase = { status: 'approved', receipt_status: 'none', expected_on: '2026-09-10' };
  assert.equal(isLate(purchase, 'expected_on', '2026-09-11'), true);
  assert.equal(isLate({ ...purchase, receipt_status: 'partial' }, 'expected_on', '2026-09-11'), false);
});
