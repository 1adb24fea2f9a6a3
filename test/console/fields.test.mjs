import assert from 'node:assert/strict';
import { test } from 'node:test';
import './browser.mjs';

const { labelOf, many, sorted, written } = await import('../../internal/publish/web/static/lib/fields.js');

test('fields are called in plain words, their unit stands at the value', () => {
  const labels = {
    total_minor: 'Total',
    customer_id: 'Customer',
    factory_shipment_ref: 'Factory shipment',
    late_discount_pct_per_day: 'Late discount per day',
    started_sim: 'Started',
    print_run_ids: 'Print run',
    make_ready_minutes: 'Make ready time',
    sku: 'SKU',
  };
  for (const [name, label] of Object.entries(labels)) assert.equal(labelOf(name), label);
});

test('values have their units', () => {
  const values = [
    ['total_minor', 123456, undefined, '1,234.56 XTS'],
    ['amount_minor', -500, undefined, '\u22125.00 XTS'],
    ['spoilage_pct', 1.75, undefined, '1.75 %'],
    ['sheets_planned', 1194, undefined, '1,194 sheets'],
    ['sheets_per_hour', 4000, undefined, '4,000 sheets an hour'],
    ['finishing_minutes', 30, undefined, '30 min'],
    ['payment_terms_days', 14, undefined, '14 days'],
    ['days', 1, undefined, '1 day'],
    ['hours_worked', 40, undefined, '40 h'],
    ['ink_cans_used', 2, undefined, '2 cans'],
    ['quantity', 10, '250 cards', '10 packs of 250 cards'],
    ['on_hand', 1, 'sheet', '1 sheet'],
    ['reorder_point', 8000, 'sheet', '8,000 sheets'],
    ['due_date', '2026-09-07', undefined, 'Mon 7 Sep 2026'],
    ['started_sim', '2026-09-07T08:30', undefined, 'Mon 7 Sep 2026, 08:30'],
    ['rush', false, undefined, 'no'],
    ['waits_for', 'not_yet_known', undefined, 'not yet known'],
    ['name', 'Lumen Gyms', undefined, 'Lumen Gyms'],
    ['paid_on', null, undefined, '\u2013'],
  ];
  for (const [name, value, unit, text] of values) assert.equal(written(name, value, unit), text, name);
  assert.equal(many(2, 'plates'), '2 plates');
});

test('empty fields and those of the record as such come last', () => {
  const record = { id: 'so_1', number: 'SO-1', paid_on: null, lines: [], currency: 'XTS', created_on: '2026-09-07' };
  assert.deepEqual(sorted(record), {
    filled: ['number'],
    empty: ['paid_on', 'lines'],
    last: ['currency', 'id', 'created_on'],
  });
});

test('a name is not said twice where the field of its id shows it', () => {
  const record = { customer_id: 'cus_1', customer_name: 'Lumen Gyms', sku: 'prd_card', product_name: 'Cards' };
  assert.deepEqual(
    sorted(record, id => id === 'cus_1'),
    {
      filled: ['customer_id', 'sku', 'product_name'],
      empty: [],
      last: ['customer_name'],
    },
  );
  assert.deepEqual(sorted({ supplier_name: 'Papyra Mill' }, () => true).filled, ['supplier_name']);
});
