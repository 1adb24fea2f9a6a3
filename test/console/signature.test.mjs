import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { examine, sign } from '../../internal/publish/web/static/lib/signature.js';

const vectors = JSON.parse(readFileSync(new URL('./testdata/diagnoses.json', import.meta.url), 'utf8'));

for (const [name, { now, report, ...captured }] of Object.entries(vectors))
  test(`a capture is judged as platen verify judges it: ${name}`, () => {
    assert.deepEqual(examine(captured, now), report);
  });

test('the signature of a delivery is that of its sender', () => {
  const sent = vectors['clock just right'];
  assert.equal(sign(sent.secret, sent.id, sent.timestamp, sent.body), sent.signature);
  assert.equal(sign('password!', sent.id, sent.timestamp, sent.body), null);
});
