import { Client } from 'platen';

// The globals of a page: test/browser runs the client in a true one.
const keys = { office: process.env.PLATEN_OFFICE_KEY, factory: process.env.PLATEN_FACTORY_KEY };
globalThis.location = new URL(process.env.PLATEN_URL);
const kept = new Map();
globalThis.localStorage = { getItem: name => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
let handled = 0;
async function handle({ seq }) {
  if (localStorage.getItem('seq') !== (handled ? String(seq - 1) : null)) throw new Error(`${seq} before its turn`);
  if (++handled === 5) process.exit(0);
}

