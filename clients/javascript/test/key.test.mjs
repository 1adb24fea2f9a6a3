import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keyFor } from '../platen.js';

test('a key names the step and its record, and one more of the same has an ordinal', () => {
  assert.equal(keyFor('accept', 'SO-1001'), 'accept-SO-1001');
  assert.equal(keyFor('print', 'WO-3001', 2), 'print-WO-3001-2');
});
