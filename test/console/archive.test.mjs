import assert from 'node:assert/strict';
import { test } from 'node:test';
import './browser.mjs';
import { together } from '../../internal/publish/web/static/console/archive.js';

const entry = (id, system, text) => ({ _request_id: id, _system: system, response: { content: { text } } });

test('each request has the bodies that its own key is shown', () => {
  const office = { log: { version: '1.2', entries: [entry('a', 'office', 'A'), entry('b', 'factory')] } };
  const factory = {
    log: { version: '1.2', entries: [entry('a', 'office'), entry('b', 'factory', 'B'), entry('c', 'factory', 'C')] },
  };
  const { log } = together([
    ['office', office],
    ['factory', factory],
  ]);
  assert.equal(log.version, '1.2');
  assert.deepEqual(
    log.entries.map(e => e.response.content.text),
    ['A', 'B'],
  );
  assert.deepEqual(together([['', office]]).log.entries, office.log.entries);
});
