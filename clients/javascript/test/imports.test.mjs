// What a browser loads with platen.js is the module and its neighbours, and uses nothing of Node.js.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { verifyWebhook } from '../platen.js';

const FROM = /^(?:import|export)\s(?:[^;='"]*\bfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
const NODE = /(?<![.\w])(?:process|Buffer|require|__dirname|global|setImmediate)\s*[.([]/;

// loaded are the modules that a module brings with it.
function loaded(url, all = new Map()) {
  if (all.has(url.href)) return all;
  const source = readFileSync(url, 'utf8');
  all.set(url.href, source);
  for (const [, from, lazily] of source.matchAll(FROM)) {
    const name = from ?? lazily;
    assert.match(name, /^\.\/[\w.]+\.js$/, `${url.pathname} imports ${name}`);
    loaded(new URL(name, url), all);
  }
  return all;
}

test('platen.js imports its neighbours alone', () => {
  const modules = loaded(new URL('../platen.js', import.meta.url));
  for (const [url, source] of modules) assert.doesNotMatch(source, NODE, url);
  const names = [...modules.keys()].map(url => url.split('/').at(-1));
  assert.deepEqual(names.sort(), ['operations.gen.js', 'platen.js', 'proof.js', 'webhook.js']);
});

test('what imports Node.js is found', () => {
  assert.throws(() => loaded(new URL('../checkpoint.js', import.meta.url)), /imports node:fs/);
  assert.throws(() => loaded(new URL('../fixture.js', import.meta.url)), /imports node:/);
  assert.match(readFileSync(new URL('../checkpoint.js', import.meta.url), 'utf8'), NODE);
});

test('a page on plain http is told why signatures cannot be verified', async t => {
  t.mock.getter(globalThis, 'crypto', () => ({}));
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
  const delivery = { secret: 'whsec_AAAA', headers, body: '{}', now: 1000 };
  await assert.rejects(verifyWebhook(delivery), /https or localhost/);
});
