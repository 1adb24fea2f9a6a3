import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Server, json, sandbox } from './server.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';

const { before } = await import('../../internal/publish/web/static/console/search.js');

// feed answers for a feed whose events have the numbers 1 to last, as the API does.
const feed = path => {
  const query = new URL(path, 'http://platen.example').searchParams;
  const [after, limit] = ['after_seq', 'limit'].map(name => Number(query.get(name)));
  return json({ data: { items: Array.from({ length: limit }, (_, i) => ({ seq: after + 1 + i })) } });
};

test('the feed is read backwards without a gap, and to its first event', async () => {
  session.value = sandbox;
  const server = new Server({ state: feed });
  const read = [];
  for await (const { events, from } of before(222)) {
    read.push(...events.map(e => e.seq));
    assert.equal(read.at(-1), from);
  }
  assert.deepEqual(
    read,
    Array.from({ length: 221 }, (_, i) => 221 - i),
  );
  assert.equal(server.asked.length, 3);
});

test('nothing is read before the first event', async () => {
  const server = new Server({ state: feed });
  for await (const page of before(1)) assert.fail(page);
  assert.deepEqual(server.asked, []);
});
