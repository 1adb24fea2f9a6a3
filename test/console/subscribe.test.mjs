import assert from 'node:assert/strict';
import { test } from 'node:test';
import './server.mjs';

const { choicesOf, eventsFor } = await import('../../internal/publish/web/static/console/subscribe.js');

const types = [
  'factory.print_run.completed',
  'office.sales_order.accepted',
  'office.sales_order.received',
  'office.shipment.recorded',
  'sandbox.expiring',
];

test('a subscription names single types, families and systems together', () => {
  assert.deepEqual(eventsFor([], types), ['*']);
  assert.deepEqual(eventsFor(['office.sales_order.*', 'sandbox'], types), [types[1], types[2], 'sandbox.expiring']);
  assert.deepEqual(eventsFor(['office', 'office.sales_order.accepted'], types), types.slice(1, 4));
  assert.deepEqual(eventsFor(['office.nothing'], types), ['office.nothing'], 'the server says what is wrong');
});

test('all types of a system are one choice', () => {
  assert.deepEqual(choicesOf(['*'], types), []);
  assert.deepEqual(choicesOf(types.slice(0, 4), types), ['office', 'factory']);
  assert.deepEqual(choicesOf([types[1]], types), [types[1]]);
  assert.deepEqual(choicesOf([types[1]], []), [types[1]]);
});
