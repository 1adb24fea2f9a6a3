import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { Server, change, json, keys, sandbox, status } from './server.mjs';
import { until } from './until.mjs';
import { madeOf, moved, nextOf, parentOf, session, without } from '../../internal/publish/web/static/lib/session.js';
import * as forks from '../../internal/publish/web/static/lib/forks.js';
import * as store from '../../internal/publish/web/static/lib/store.js';

const other = (id, more) => ({ sandbox_id: id, office_key: `lab_off_${id}`, factory_key: `lab_fac_${id}`, ...more });
const from = (sandbox_id, seq = 12) => ({ forked_from: { sandbox_id, seq } });
const ids = s => s.others.map(o => o.sandbox_id);

beforeEach(() => {
  session.value = { ...sandbox, forked_from: null };
});
afterEach(() => {
  store.forget();
  forks.remains.value = null;
});

test('a tab that goes on keeps the keys of what it leaves, and leaves nothing twice', () => {
  const a = other('a');
  const b = other('b', from('a'));
  const there = moved(a, b);
  assert.deepEqual(there, { ...b, others: [a] });
  const back = moved(there, there.others[0]);
  assert.deepEqual(back, { ...a, others: [b] });
  assert.deepEqual(moved(back, back.others[0]), there);
  assert.deepEqual(moved(null, a), { ...a, others: [] });
});

test('a tab that goes on and on forgets what it left first', () => {
  let s = other('0');
  for (let n = 1; n <= 30; n++) s = moved(s, other(String(n)));
  assert.equal(s.others.length, 20);
  assert.deepEqual([ids(s)[0], ids(s).at(-1)], ['10', '29']);
});

test('the way back leads to the parent, also when it was not left last', () => {
  const s = { ...other('c', from('a')), others: [other('a'), other('b')] };
  assert.equal(parentOf(s).sandbox_id, 'a');
  assert.equal(nextOf(s).sandbox_id, 'a');
  const orphan = without(s, 'a');
  assert.equal(parentOf(orphan), undefined);
  assert.equal(nextOf(orphan).sandbox_id, 'b');
  assert.equal(nextOf(without(orphan, 'b')), undefined);
  assert.equal(nextOf(other('d')), undefined);
});

test('a fork says where it comes from, and other sandboxes say nothing', () => {
  assert.equal(madeOf(other('b', from('sbx_a', 7))), 'Fork of sbx_a after event 7');
  const named = { forked_from: { sandbox_id: 'sbx_a', seq: 7, public_name: 'Quiet Heron Press' } };
  assert.equal(madeOf(other('b', named)), 'Fork of Quiet Heron Press (sbx_a) after event 7');
  assert.equal(madeOf(other('b', { forked_from: null })), '');
  assert.equal(madeOf(null), '');
});

test('the state of a sandbox says that it is a fork, to a tab that was only given its keys', async () => {
  session.value = sandbox;
  const server = new Server({ state: () => json({ data: change({ status: status(from('sbx_0', 3)) }) }) });
  store.connect();
  await until(() => store.link.value.state === 'live');
  assert.deepEqual(session.value.forked_from, { sandbox_id: 'sbx_0', seq: 3 });
  assert.equal(server.asked.length, 2);
});

test('a sandbox says whether players are compared in it', () => {
  store.status.value = status({ evaluation: false });
  assert.equal(forks.compared.value, false);
  store.status.value = status({ evaluation: true });
  assert.equal(forks.compared.value, true);
});

const made = { ...other('sbx_2', from('sbx_1')), public_name: 'Second Press', expires_at: '2026-09-07T09:00:00Z' };
const refused = (code, http) => json({ error: { code, message: code } }, http);

// serving answers by method and path, and notes in what order it was asked, and with
// which key.
function serving(answers) {
  const asked = [];
  globalThis.fetch = async (path, { method, headers, body }) => {
    asked.push([`${method} ${path}`, new Headers(headers).get('Authorization'), body]);
    return answers[`${method} ${path}`]();
  };
  return asked;
}
const forking = 'POST /v1/sandbox/forks';
const deleting = 'DELETE /v1/sandbox';
const looking = 'GET /console/data/state';
const bearer = key => `Bearer ${key}`;

test('a fork takes the place of the sandbox, whose keys stay in the tab', async () => {
  store.status.value = status();
  const asked = serving({ [forking]: () => json({ data: made }, 201) });
  await forks.fork({ checkpoint: 'chk_1' });
  assert.deepEqual(asked, [[forking, bearer(keys.office_key), '{"checkpoint":"chk_1"}']]);
  const { public_name, office_key, seen, forked_from } = session.value;
  assert.deepEqual(
    { public_name, office_key, seen },
    { public_name: 'Second Press', office_key: 'lab_off_sbx_2', seen: false },
  );
  assert.deepEqual(forked_from, { sandbox_id: 'sbx_1', seq: 12, public_name: 'Example Press' });
  assert.equal(parentOf(session.value).office_key, keys.office_key);
  assert.equal(store.status.value, null, 'what was known of the parent');
  assert.match(sessionStorage.getItem('platen.session'), /lab_off_sbx_2.*lab_off_o/);
});

test('a fork that is refused leaves the tab where it was', async () => {
  const before = session.value;
  serving({ [forking]: () => refused('queue_full', 503) });
  await assert.rejects(forks.fork(), { code: 'queue_full' });
  assert.equal(session.value, before);
});

test('the old sandbox is deleted with its own key, and not before there are new ones', async () => {
  let had;
  const asked = serving({
    [forking]: () => json({ data: made }, 201),
    [deleting]: () => {
      had = sessionStorage.getItem('platen.session');
      return json({ data: {} });
    },
  });
  await forks.beginAgain();
  assert.deepEqual(
    asked.map(([what, key]) => [what, key]),
    [
      [forking, bearer(keys.office_key)],
      [deleting, bearer(keys.office_key)],
    ],
  );
  assert.equal(asked[0][2], '{"checkpoint":"start"}');
  assert.match(had, /lab_off_sbx_2/);
  assert.deepEqual([session.value.sandbox_id, ids(session.value)], ['sbx_2', []]);
  assert.equal(forks.remains.value, null);
});

test('without a fork nothing is deleted', async () => {
  const asked = serving({ [forking]: () => refused('ip_active_limit', 429) });
  await assert.rejects(forks.beginAgain(), { code: 'ip_active_limit' });
  assert.equal(asked.length, 1);
  assert.equal(session.value.sandbox_id, 'sbx_1');
});

test('an old sandbox that cannot be deleted stays in the tab', async () => {
  serving({ [forking]: () => json({ data: made }, 201), [deleting]: () => refused('unavailable', 503) });
  await forks.beginAgain();
  assert.deepEqual([forks.remains.value.id, forks.remains.value.refusal.code], ['sbx_1', 'unavailable']);
  assert.deepEqual(ids(session.value), ['sbx_1']);
});

test('a deletion leads to the parent, or out of the console', async () => {
  session.value = { ...other('c', from('a')), others: [other('a'), other('b')] };
  serving({ [deleting]: () => json({ data: {} }) });
  assert.equal(await forks.remove(), true);
  assert.deepEqual([session.value.sandbox_id, ids(session.value)], ['a', ['b']]);
  assert.equal(await forks.remove(), true);
  assert.equal(await forks.remove(), false);
  assert.equal(session.value, null);
  assert.equal(sessionStorage.getItem('platen.session'), null);
});

test('the way to a sandbox that is gone is forgotten', async () => {
  session.value = moved(other('a'), other('b', from('a')));
  serving({ [looking]: () => refused('unauthorized', 401) });
  await assert.rejects(forks.visit('a'), { status: 401, message: 'The sandbox a is gone.' });
  assert.deepEqual([session.value.sandbox_id, ids(session.value)], ['b', []]);
});

test('the way to a sandbox that cannot be reached stays open', async () => {
  session.value = moved(other('a'), other('b', from('a')));
  const asked = serving({ [looking]: () => refused('unavailable', 503) });
  await assert.rejects(forks.visit('a'), { code: 'unavailable' });
  assert.deepEqual(ids(session.value), ['a']);
  assert.deepEqual(asked[0].slice(0, 2), [looking, 'Bearer lab_off_a']);
});

test('what a sandbox says after it was left is not heard', async () => {
  let answer;
  globalThis.fetch = () =>
    new Promise(resolve => {
      answer = resolve;
    });
  const paused = store.setClock('manual');
  store.enter(moved(session.value, made));
  answer(json({ data: status() }));
  await paused;
  assert.equal(store.status.value, null);

  session.value = { ...sandbox, forked_from: null };
  store.connect();
  store.enter(moved(session.value, made));
  answer(json({ data: change() }));
  await new Promise(setImmediate);
  assert.equal(store.status.value, null);
  assert.equal(session.value.sandbox_id, 'sbx_2');
});
