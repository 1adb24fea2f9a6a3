import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const widest = 120;

// The formatter leaves the text inside of templates as it is.
test('no line of the browser is longer than 120 characters', () => {
  for (const folder of ['internal/publish/web/static', 'test/console']) {
    for (const file of readdirSync(join(root, folder), { recursive: true })) {
      if (!/\.(js|mjs|css)$/.test(file) || file.startsWith('vendor')) continue;
      const lines = readFileSync(join(root, folder, file), 'utf8').split('\n');
      const wide = lines.flatMap((line, i) => (line.length > widest ? [`${file}:${i + 1}`] : []));
      assert.deepEqual(wide, []);
    }
  }
});
