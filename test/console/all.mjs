// All suites in one process: node --test would start one for each.
import { readdirSync } from 'node:fs';

for (const name of readdirSync(new URL('.', import.meta.url))) {
  if (name.endsWith('.test.mjs')) await import(`./${name}`);
}
