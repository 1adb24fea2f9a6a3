import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { Server, change, json, keys, present, sandbox, status } from './server.mjs';
import { until } from './until.mjs';
import { session } from '../../internal/publish/web/static/lib/session.js';
import * as store from '../../internal/publish/web/static/lib/store.js';

const live = () => until(() => store.link.value.state === 'live');
const linked = state => until(() => store.link.value.state === state);
const refused = (code, http, more = {}) => json({ error: { code, message: code }, ...more }, http);

// watch connects to a server and waits until the store is up to date.
async function watch(first) {
  const server = new Server({ state: () => json({ data: change(first) }) });
  store.link.value = { state: 'connecting' };
  store.connect();
  await live();
  return server;
}

beforeEach(() => {
  session.value = sandbox;
});
afterEach(() => {
  store.forget();
  navigator.onLine = true;
});

test('both keys travel in headers, and neither stands in an address', async () => {
  const server = await watch();
  assert.equal(server.asked.length, 2);
  for (const { path, headers } of server.asked) {
    assert.equal(headers.get('Authorization'), `Bearer ${keys.office_key}`);
    assert.equal(headers.get('Platen-Other-Key'), keys.factory_key);
    assert.doesNotMatch(path, /lab_/);
  }
});

test('a tab with the key of the Factory alone sends that one', async () => {
  session.value = { ...sandbox, office_key: undefined };
  const server = await watch();
  assert.equal(server.asked[0].headers.get('Authorization'), `Bearer ${keys.factory_key}`);
  assert.equal(server.asked[0].headers.has('Platen-Other-Key'), false);
});

test('the stream is asked to go on from the state that was given', async () => {
  const server = await watch({ place: '7.8.9' });
  assert.equal(server.asked[1].headers.get('Last-Event-ID'), '7.8.9');
});

test('records are newest first, and one that changes keeps its place', async () => {
  const server = await watch({ records: { press: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] } });
  assert.deepEqual(
    store.rows('press').map(r => r.id),
    ['c', 'b', 'a'],
  );
  server.tell({ now: present(), records: { press: [{ id: 'a', status: 'down' }, { id: 'd' }] } });
  await until(() => store.rows('press').length === 4);
  assert.deepEqual(
    store.rows('press').map(r => r.id),
    ['d', 'c', 'b', 'a'],
  );
  assert.equal(store.row('press', 'a').status, 'down');
});

test('a table that comes whole loses the rows that it no longer has', async () => {
  const server = await watch({ records: { market_quote: [{ id: 'a' }, { id: 'b' }] } });
  server.tell({ now: present(), replaced: ['market_quote'], records: { market_quote: [{ id: 'c' }] } });
  await until(() => store.row('market_quote', 'c'));
  assert.deepEqual(store.rows('market_quote'), [{ id: 'c' }]);
});

test('a whole state forgets all that was known before', async () => {
  const server = await watch({
    records: { press: [{ id: 'a' }] },
    events: [{ seq: 1 }],
    calls: [{ id: 'req_1' }],
    points: [{ cash_minor: 1 }],
  });
  server.tell(change({ records: { operator: [{ id: 'o' }] } }));
  await until(() => store.rows('operator').length === 1);
  assert.deepEqual([store.rows('press'), store.events.value, store.calls.value, store.points.value], [[], [], [], []]);
});

test('events and calls are newest first and points oldest first, whatever is added', async () => {
  const server = await watch({ events: [{ seq: 1 }, { seq: 2 }], calls: [{ id: 1 }, { id: 2 }], points: [{ n: 1 }] });
  server.tell({ now: present(), events: [{ seq: 3 }, { seq: 4 }], calls: [{ id: 3 }], points: [{ n: 2 }] });
  await until(() => store.events.value.length === 4);
  assert.deepEqual(
    store.events.value.map(e => e.seq),
    [4, 3, 2, 1],
  );
  assert.deepEqual(
    store.calls.value.map(c => c.id),
    [3, 2, 1],
  );
  assert.deepEqual(
    store.points.value.map(p => p.n),
    [1, 2],
  );
});

test('only events after the first state count as new', async () => {
  const server = await watch({ events: [{ seq: 41 }, { seq: 42 }] });
  server.tell({ now: present(), events: [{ seq: 43 }] });
  await until(() => store.events.value.length === 3);
  assert.equal(store.lastSeen.value, 42);
});

test('a tab that watches for days does not grow without end', async () => {
  const many = n => Array.from({ length: n }, (_, i) => ({ seq: i + 1, id: i + 1 }));
  await watch({ events: many(2000), calls: many(2000) });
  assert.deepEqual([store.events.value.length, store.events.value[0].seq], [600, 2000]);
  assert.deepEqual([store.calls.value.length, store.calls.value[0].id], [500, 2000]);
});

test('the status stays as it was while only time passes', async () => {
  const server = await watch({ status: status({ public_name: 'Kept' }) });
  server.tell({ now: present({ sim_time: '10:01' }) });
  await until(() => store.present.value.sim_time === '10:01');
  assert.equal(store.status.value.public_name, 'Kept');
});

test('time left is told by the clock of the server', async () => {
  // Both moments are the server's, whose clock is an hour ahead of this one.
  const there = Date.now() + 3600e3;
  await watch({
    now: present({ server_time: new Date(there).toISOString() }),
    status: status({ expires_at: new Date(there + 90e3).toISOString() }),
  });
  assert.ok(Math.abs(store.left.value - 90) <= 2, `${store.left.value} s`);
});

test('an extension is open within its window, and while one is left', async () => {
  const ending = (seconds, extensions_left) =>
    watch({ status: status({ expires_at: new Date(Date.now() + seconds * 1000).toISOString(), extensions_left }) });
  await ending(900, 2);
  assert.equal(store.canExtend.value, false);
  await ending(300, 2);
  assert.equal(store.canExtend.value, true);
  await ending(300, 0);
  assert.equal(store.canExtend.value, false);
  await ending(-5, 2);
  assert.equal(store.canExtend.value, false);
});

test('a company that is over can only be read', async () => {
  const server = await watch();
  assert.equal(store.readOnly.value, '');
  server.tell({ now: present({ status: 'bankrupt' }) });
  await until(() => store.readOnly.value === 'bankrupt');
  server.tell({ now: present({ status: 'expired' }) });
  await until(() => store.readOnly.value === 'expired');
});

test('a stream that breaks is taken up where it broke', async () => {
  const server = await watch({ place: '1.1.1', records: { press: [{ id: 'a' }] } });
  server.tell({ now: present(), records: { press: [{ id: 'b' }] } }, { id: '5.6.7' });
  await until(() => store.rows('press').length === 2);
  server.lose();
  await linked('reconnecting');
  assert.ok(store.link.value.until > Date.now());
  await live();
  assert.deepEqual(
    server.asked.map(({ path, headers }) => [path, headers.get('Last-Event-ID')]),
    [
      ['/console/data/state', null],
      ['/console/stream', '1.1.1'],
      ['/console/stream', '5.6.7'],
    ],
  );
  assert.equal(store.rows('press').length, 2);
});

test('without a network it is the browser that is offline, and what was heard stays', async () => {
  const server = await watch({ records: { press: [{ id: 'a' }] } });
  navigator.onLine = false;
  server.lose();
  await linked('offline');
  assert.equal(store.rows('press').length, 1);
});

test('a console that has spent its budget says when it goes on', async () => {
  const server = await watch();
  const again = Date.now() + 30e3;
  server.stream = () => refused('rate_limited', 429, { error: { retry_at: new Date(again).toISOString() } });
  server.lose();
  await linked('limited');
  assert.ok(Math.abs(store.link.value.until - again) < 1000);
  assert.equal(store.link.value.refusal.status, 429);
});

test('a key that opens nothing any more ends the watching', async () => {
  const server = new Server({ state: () => refused('unauthorized', 401) });
  store.connect();
  await linked('gone');
  assert.equal(store.link.value.refusal.code, 'unauthorized');
  assert.equal(store.readOnly.value, 'gone');
  assert.equal(server.asked.length, 1);
});

test('a sandbox that is deleted is gone for who watches it', async () => {
  const server = await watch();
  server.tell({}, { event: 'gone' });
  await linked('gone');
  assert.equal(server.asked.length, 2);
});

test('keys of another sandbox take its name', async () => {
  session.value = { ...sandbox, sandbox_id: undefined, public_name: undefined };
  await watch({ status: status({ sandbox_id: 'sbx_2', public_name: 'Other Press' }) });
  assert.equal(session.value.sandbox_id, 'sbx_2');
  assert.equal(session.value.public_name, 'Other Press');
  assert.equal(session.value.office_key, keys.office_key);
});

test('forgetting a sandbox leaves nothing of it in the tab', async () => {
  await watch({ records: { press: [{ id: 'a' }] }, events: [{ seq: 1 }] });
  assert.match(sessionStorage.getItem('platen.session'), /lab_off_/);
  store.forget();
  assert.equal(sessionStorage.getItem('platen.session'), null);
  assert.equal(session.value, null);
  assert.deepEqual([store.rows('press'), store.events.value, store.status.value], [[], [], null]);
  assert.equal(store.loaded.value, false);
  assert.equal(store.link.value.state, 'none');
});

test('a sandbox that was left is not listened to any more', async () => {
  const server = await watch();
  const [stream] = server.streams;
  store.disconnect();
  assert.throws(() => stream.enqueue(new Uint8Array()), TypeError);
});

test('a page that stays hidden is not connected, and one that is seen again is', async t => {
  let turned;
  const added = globalThis.addEventListener;
  globalThis.addEventListener = (name, heard) => {
    if (name === 'visibilitychange') turned = heard;
  };
  t.after(() => {
    globalThis.addEventListener = added;
    document.hidden = false;
  });
  const server = await watch();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  document.hidden = true;
  turned();
  t.mock.timers.tick(59_000);
  document.hidden = false;
  turned();
  t.mock.timers.tick(120_000);
  assert.equal(server.streams.length, 1, 'a short look elsewhere');
  document.hidden = true;
  turned();
  t.mock.timers.tick(61_000);
  assert.throws(() => server.streams[0].enqueue(new Uint8Array()), TypeError);
  t.mock.timers.reset();
  document.hidden = false;
  turned();
  await live();
  assert.equal(server.streams.length, 2);
});

test('a wait leaves no listener behind, and ends when the browser is online again', async t => {
  const listeners = new Set();
  const added = globalThis.addEventListener;
  globalThis.addEventListener = (name, heard, { signal } = {}) => {
    if (name !== 'online') return;
    listeners.add(heard);
    signal?.addEventListener('abort', () => listeners.delete(heard));
  };
  t.after(() => {
    globalThis.addEventListener = added;
  });
  const server = await watch();
  server.stream = () => refused('unavailable', 503);
  server.lose();
  let last;
  for (const refusals of [1, 2, 3, 4]) {
    await until(() => store.link.value.state === 'reconnecting' && store.link.value.until !== last);
    last = store.link.value.until;
    assert.equal(listeners.size, 1, `after ${refusals} refusals`);
    for (const heard of listeners) heard();
  }
});
