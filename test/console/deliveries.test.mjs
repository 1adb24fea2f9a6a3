import assert from 'node:assert/strict';
import { test } from 'node:test';
import './browser.mjs';

const { groupsOf, repeatable } = await import('../../internal/publish/web/static/console/deliveries.js');
const { captured } = await import('../../internal/publish/web/static/console/verifier.js');

const attempt = (id, event_id, more) => ({
  id,
  event_id,
  webhook_id: 'whk_1',
  trigger: 'auto',
  status: 'failed',
  sent_at: '2026-09-07T08:00:00Z',
  ...more,
});
const active = { status: 'active' };

test('attempts stand under their event, oldest first, and tests alone', () => {
  const groups = groupsOf([
    attempt('whd_5', 'evt_1', { status: 'pending', sent_at: null }),
    attempt('whd_4', 'evt_ping', { trigger: 'test' }),
    attempt('whd_3', 'evt_ping', { trigger: 'test' }),
    attempt('whd_2', 'evt_2'),
    attempt('whd_1', 'evt_1'),
  ]);
  assert.deepEqual(
    groups.map(g => g.attempts.map(d => d.id)),
    [['whd_1', 'whd_5'], ['whd_4'], ['whd_3'], ['whd_2']],
  );
  assert.equal(groups[0].last.id, 'whd_5');
  assert.equal(groups[0].made.id, 'whd_1');
});

test('an event that two subscriptions want is delivered twice', () => {
  assert.equal(groupsOf([attempt('whd_1', 'evt_1'), attempt('whd_2', 'evt_1', { webhook_id: 'whk_2' })]).length, 2);
});

test('what is over is sent again, to an active subscription alone', () => {
  const [failed] = groupsOf([attempt('whd_2', 'evt_1', { status: 'pending' }), attempt('whd_1', 'evt_1')]);
  assert.equal(repeatable(failed, active).id, 'whd_1');
  assert.equal(repeatable(failed, { status: 'disabled' }), undefined);
  assert.equal(repeatable(failed, undefined), undefined);
  const [waiting] = groupsOf([attempt('whd_1', 'evt_1', { status: 'pending' })]);
  assert.equal(repeatable(waiting, active), undefined);
  const [ping] = groupsOf([attempt('whd_1', 'evt_1', { trigger: 'test', status: 'delivered' })]);
  assert.equal(repeatable(ping, active), undefined);
});

test('an event whose retry was dropped shows the attempt that was made', () => {
  const retry = attempt('whd_2', 'evt_1', { status: 'dropped', sent_at: null });
  assert.equal(groupsOf([retry, attempt('whd_1', 'evt_1')])[0].last.id, 'whd_1');
  assert.equal(groupsOf([retry])[0].last.id, 'whd_2');
});

test('a delivery is taken from a text with its headers', () => {
  const found = { id: 'evt_1', timestamp: '1793000000', signature: 'v1,aa= v1,bb=' };
  const http = 'Content-Type: application/json\nwebhook-id: evt_1\nwebhook-timestamp: 1793000000\n';
  assert.deepEqual(captured(`${http}webhook-signature: v1,aa= v1,bb=\nHost: x\n\n{"a": 1}\n`), {
    ...found,
    body: '{"a": 1}',
  });
  const verbose =
    '> Webhook-Id: evt_1\r\n> Webhook-Timestamp: 1793000000\r\n> Webhook-Signature: v1,aa= v1,bb=\r\n>\r\n{}';
  assert.deepEqual(captured(verbose), { ...found, body: '{}' });
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1793000000', 'webhook-signature': 'v1,aa= v1,bb=' };
  assert.deepEqual(captured(JSON.stringify(headers, null, 2)), found);
  assert.equal(captured('{"id":"evt_1"}'), null);
});

test('an attempt that was dropped keeps its place, before one that delivered the event later', () => {
  const [g] = groupsOf([
    attempt('whd_3', 'evt_1', { status: 'delivered' }),
    attempt('whd_2', 'evt_1', { status: 'dropped', sent_at: null }),
    attempt('whd_1', 'evt_1'),
  ]);
  assert.deepEqual(
    g.attempts.map(d => d.id),
    ['whd_1', 'whd_2', 'whd_3'],
  );
});
