import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ago,
  clock,
  day,
  money,
  number,
  roundMoney,
  sentence,
  signed,
  span,
  workingAge,
} from '../../internal/publish/web/static/lib/format.js';

const dash = '\u2013';
const minus = '\u2212';

test('money is written in units with two digits, and rounded without any', () => {
  assert.equal(money(123456789), '1,234,567.89');
  assert.equal(money(5), '0.05');
  assert.equal(roundMoney(123456), '1,235');
});

test('below zero stands a minus and no hyphen', () => {
  assert.equal(money(-5000), `${minus}50.00`);
  assert.equal(number(-1200), `${minus}1,200`);
  assert.equal(signed(-5000), `${minus}50`);
});

test('a change says its direction, none has none', () => {
  assert.equal(signed(5000), '+50');
  assert.equal(signed(0), '0');
});

test('a value that is not there is a dash, and zero is a value', () => {
  for (const write of [number, money, roundMoney]) {
    assert.equal(write(null), dash);
    assert.equal(write(undefined), dash);
    assert.notEqual(write(0), dash);
  }
  assert.equal(day(''), dash);
});

test('time left has hours only when there are any', () => {
  assert.equal(clock(null), '--:--');
  assert.equal(clock(0), '0:00');
  assert.equal(clock(28 * 60 + 4), '28:04');
  assert.equal(clock(3600 + 61), '1:01:01');
});

test('a length of time is in its largest units, and never below zero', () => {
  assert.deepEqual([-3, 4, 60, 3599, 3600, 7260].map(span), [
    '0 s',
    '4 s',
    '1 min',
    '59 min',
    '1 h 0 min',
    '2 h 1 min',
  ]);
});

test('a moment is so long ago, and one that is still to come is now', () => {
  const now = Date.parse('2026-09-07T10:00:00Z');
  const before = s => ago(new Date(now - s * 1000).toISOString(), now);
  assert.deepEqual([-30, 1, 2, 59, 60, 3599, 3600].map(before), ['now', 'now', '2s', '59s', '1m', '59m', '1h']);
});

test('a day in the company is the same wherever the browser is', () => {
  const { TZ } = process.env;
  try {
    for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
      process.env.TZ = zone;
      assert.equal(day('2026-09-07'), 'Mon 7 Sep', zone);
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test('a name of the API is read as words', () => {
  assert.equal(sentence('order_to_cash'), 'Order to cash');
});

test('an age is counted in working days: a weekend makes nothing older', () => {
  assert.equal(workingAge('2026-09-09', '2026-09-09'), 'today');
  assert.equal(workingAge('2026-09-09', '2026-09-10'), '1 day');
  assert.equal(workingAge('2026-09-09', '2026-09-16'), '5 days');
  assert.equal(workingAge('2026-09-11', '2026-09-14'), '1 day', 'from Friday to Monday');
  assert.equal(workingAge(undefined, '2026-09-14'), 'today');
});
