// A link with keys does not replace the keys that a tab has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { origin, storage } from './browser.mjs';

const key = (system, letter) => `lab_${system}_${letter.repeat(43)}`;
const mine = {
  sandbox_id: 'sbx_1',
  public_name: 'Hazel Pier Printers',
  office_key: key('off', 'a'),
  factory_key: key('fac', 'a'),
};
const theirs = `${key('off', 'b')}&${key('fac', 'b')}`;
const review = `lab_rev_${'c'.repeat(64)}`;

let documents = 0;
// begins loads the module as a new document does, at an address and with what the tab has stored.
async function begins(hash, stored) {
  if (stored) storage.setItem('platen.session', JSON.stringify(stored));
  else storage.removeItem('platen.session');
  globalThis.location = new URL(`${origin}/console${hash}`);
  const addresses = [];
  globalThis.history = { state: null, replaceState: (_state, _title, to) => addresses.push(to) };
  const module = await import(`../../internal/publish/web/static/lib/session.js?document=${documents++}`);
  return { ...module, addresses, kept: JSON.parse(storage.getItem('platen.session')) };
}

test('a link to another sandbox waits for an answer, and the keys of the tab stay', async () => {
  const { factory_key: _, ...half } = mine;
  const reviewer = { sandbox_id: 'sbx_1', review: review.replace('c', 'd') };
  for (const link of [theirs, review, key('fac', 'b')])
    for (const stored of [mine, half, reviewer]) {
      const tab = await begins(`#${link}`, stored);
      assert.equal(tab.linked.value, link.replace('&', '\n'));
      assert.deepEqual(tab.session.value, stored);
      assert.deepEqual(tab.kept, stored);
      assert.equal(tab.takeHanded(), '');
      assert.deepEqual(tab.addresses, ['/console'], 'the address has no key');
    }
});

test('a tab without keys takes those of the link at once', async () => {
  const tab = await begins(`#${theirs}`, null);
  assert.equal(tab.linked.value, '');
  assert.equal(tab.session.value, null);
  assert.equal(tab.takeHanded(), theirs.replace('&', '\n'));
});

test('keys that the tab has ask nothing and lose nothing, and one that it lacks is taken', async () => {
  for (const link of [mine.office_key, `${mine.office_key}&${mine.factory_key}`, '']) {
    const tab = await begins(`#${link}`, mine);
    assert.equal(tab.linked.value, '');
    assert.deepEqual(tab.session.value, mine);
    assert.equal(tab.takeHanded(), '');
  }
  const half = await begins(`#${mine.office_key}&${mine.factory_key}`, { ...mine, factory_key: undefined });
  assert.equal(half.linked.value, '');
  assert.equal(half.takeHanded(), `${mine.office_key}\n${mine.factory_key}`);
});

test('the keys in a text are found by their systems', async () => {
  const { keysIn } = await begins('', null);
  assert.deepEqual(keysIn(`A=${mine.factory_key}\nB=${mine.office_key}`), {
    review: undefined,
    office_key: mine.office_key,
    factory_key: mine.factory_key,
  });
  assert.equal(keysIn(review).review, review);
});
