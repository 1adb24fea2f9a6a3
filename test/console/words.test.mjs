import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../internal/publish/web/static');

// Words that the glossary replaces, as far as no identifier is one of them.
const replaced =
  /\b(nobody|somebody|whoever|answers? (with|2xx|4\d\d)|answered (with|by)|not answer|the answer|is refused)\b/i;

test('texts of the browser use the words of the glossary', () => {
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!file.endsWith('.js') || file.startsWith('vendor')) continue;
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const found = lines.filter(line => !line.trim().startsWith('//') && replaced.test(line));
    assert.deepEqual(found, [], file);
  }
});
