import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { json, keys, sandbox } from './server.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as triggers from '../../internal/publish/web/static/lib/triggers.js';

const kind = (type, needs = null, fields = []) => ({ type, needs, fields });

beforeEach(() => {
  session.value = sandbox;
});

test('triggers stand in groups, and what is new is of the world', () => {
  const all = ['order', 'wrong_bill', 'leave', 'major_order', 'meteor'].map(type => kind(type));
  assert.deepEqual(
    triggers.grouped(all).map(([name, of]) => [name, of.map(t => t.type)]),
    [
      ['Orders and payments', ['order']],
      ['Suppliers', ['wrong_bill']],
      ['People', ['leave']],
      ['The world', ['major_order', 'meteor']],
    ],
  );
});

test('what another trigger says that it needs is said here too', () => {
  const all = [kind('truck_early', 'A truck under way.'), kind('truck_late', 'As truck_early.'), kind('odd', 'As x.')];
  assert.deepEqual(
    [...all, kind('order')].map(t => triggers.needsOf(t, all)),
    ['A truck under way.', 'A truck under way.', 'As x.', null],
  );
});

test('a body has what was typed into the fields of the trigger, integers as such', () => {
  const order = kind('order', null, ['sku', 'quantity', 'days']);
  assert.deepEqual(triggers.bodyOf(order, { sku: ' prd_card ', quantity: '10', days: '', pct: '3' }), {
    type: 'order',
    sku: 'prd_card',
    quantity: 10,
  });
  assert.deepEqual(triggers.bodyOf(kind('market_move', null, ['pct']), { pct: '0' }), { type: 'market_move', pct: 0 });
});

test('each trigger has the items that it can be about', () => {
  const item = (sku, kind) => ({ sku, kind });
  const stock = [
    item('prd_flyer', 'finished'),
    item('mat_ink', 'material'),
    item('mat_board', 'material'),
    item('mat_waste', 'waste'),
  ];
  const skus = type => triggers.skus(kind(type), [item('prd_card', 'stock')], stock).map(i => i.sku);
  assert.deepEqual(skus('rush_order'), ['prd_card']);
  assert.deepEqual(skus('stock_low'), ['mat_ink', 'mat_board']);
  assert.deepEqual(skus('market_move'), ['mat_board', 'mat_waste']);
});

test('a field is called for what it is at the trigger, and an unknown one by its name', () => {
  const labels = ['sku', 'days', 'to_come'].map(name => triggers.labelOf(kind('order'), name));
  assert.deepEqual(labels, ['Product', 'Working days', 'To come']);
  assert.equal(triggers.labelOf(kind('stock_low'), 'sku'), 'Material');
});

test('an outcome says when: now, later today, or on another day', () => {
  const of = more =>
    triggers.outcome(
      {
        type: 'rush_order',
        resource: 'sales_order',
        id: 'so_1',
        sim_date: '2026-09-07',
        sim_time: '10:00',
        today: '2026-09-07',
        ...more,
      },
      '10:00',
    );
  assert.deepEqual(of({ events_written: 1 }), { title: 'rush order', text: 'sales order so_1, now, 1 event' });
  assert.equal(of({ events_written: 0 }).text, 'sales order so_1, now, no event yet');
  assert.equal(of({ events_written: 2, sim_time: '10:01' }).text, 'sales order so_1, now, 2 events');
  assert.equal(of({ events_written: 0, sim_time: '14:00' }).text, 'sales order so_1, today, 14:00, no event yet');
  assert.equal(
    of({ events_written: 0, sim_date: '2026-09-08', sim_time: '08:00' }).text,
    'sales order so_1, on Tue 8 Sep, 08:00, no event yet',
  );
});

test('the document has the list, and a trigger is pulled with a key', async () => {
  document.getElementById = () => ({ textContent: '[{"type":"story"}]' });
  assert.equal(triggers.kinds()[0].type, 'story');
  const asked = [];
  globalThis.fetch = async (path, { method, headers, body }) => {
    asked.push([method, path, new Headers(headers).get('Authorization'), body]);
    return json({ data: { type: 'story' }, meta: { sim_date: '2026-09-07' } });
  };
  assert.deepEqual(await triggers.pull({ type: 'story' }), { type: 'story', today: '2026-09-07' });
  assert.deepEqual(asked, [['POST', '/v1/sandbox/triggers', `Bearer ${keys.office_key}`, '{"type":"story"}']]);
});
