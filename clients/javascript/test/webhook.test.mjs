import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { signWebhook, verifyWebhook, WebhookError } from '../platen.js';

const { webhooks } = JSON.parse(readFileSync(new URL('../../script.json', import.meta.url), 'utf8'));
const { id, body, secret, other, signature } = webhooks;
const now = webhooks.now * 1000;
const headers = (more = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(webhooks.now),
  'webhook-signature': signature,
  ...more,
});

test('a delivery that was signed just now is an event', async () => {
  const forms = {
    text: body,
    bytes: new TextEncoder().encode(body),
    'a buffer': Buffer.from(body),
    'an ArrayBuffer': new TextEncoder().encode(body).buffer,
  };
  for (const [name, form] of Object.entries(forms)) {
    assert.equal((await verifyWebhook({ secret, headers: headers(), body: form, now })).note, 'Zoë', name);
  }
  for (const given of [
    new Headers(headers()),
    { 'Webhook-Id': id, 'WEBHOOK-TIMESTAMP': String(webhooks.now), 'webhook-signature': [signature] },
  ]) {
    assert.equal((await verifyWebhook({ secret, headers: given, body, now })).id, id);
  }
  for (const offset of [-300_000, 300_000])
    await verifyWebhook({ secret, headers: headers(), body, now: now + offset });
  await verifyWebhook({ secret: [other, secret], headers: headers(), body, now });
  const two = headers({ 'webhook-signature': `v1,AAAA ${signature}` });
  await verifyWebhook({ secret, headers: two, body, now });
});

test('signatures of both secrets of a rotation fit', async () => {
  const timestamp = webhooks.now;
  assert.deepEqual(await signWebhook({ secret, id, body, timestamp }), headers());
  const both = await signWebhook({ secret: [other, secret], id, body, timestamp });
  for (const one of [secret, other]) await verifyWebhook({ secret: one, headers: both, body, now });
});

test('other deliveries are rejected', async () => {
  for (const { name, headers: changed, clock_off_s = 0, signed, code: _, ...change } of webhooks.rejected) {
    const delivery = { secret, headers: headers(changed), body, now: now + clock_off_s * 1000, ...change };
    if (signed) delivery.headers = await signWebhook({ ...delivery, id, timestamp: webhooks.now });
    await assert.rejects(verifyWebhook(delivery), WebhookError, name);
  }
  await assert.rejects(verifyWebhook({ secret: 'whsec_', headers: headers(), body, now }), TypeError);
  await assert.rejects(verifyWebhook({ secret, headers: headers(), body: JSON.parse(body), now }), TypeError);
});
