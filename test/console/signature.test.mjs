import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sign } from '../../internal/publish/web/static/lib/signature.js';

const sent = JSON.parse(readFileSync(new URL('./testdata/delivery.json', import.meta.url), 'utf8'));

test('the signature of a delivery is that of its sender', () => {
  assert.equal(sign(sent.secret, sent.id, sent.timestamp, sent.body), sent.signature);
  assert.equal(sign(` ${sent.secret}\n`, sent.id, sent.timestamp, sent.body), sent.signature);
});

test('an invalid secret signs nothing', () => {
  for (const secret of ['password!', '', 'whsec_', 'whsec_a_b='])
    assert.equal(sign(secret, sent.id, sent.timestamp, sent.body), null);
});
