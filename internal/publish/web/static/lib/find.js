// What the palette finds: records that this tab holds, pages, lists, and what can be done.
import { rows } from './store.js';
import { address, nameFor, pageOf, places } from './navigate.js';
import { keyAnywhere } from './session.js';
import { sentence, words } from './format.js';

const recordsMost = 8;

// folded is a text as it is compared: without accents, and in lower case.
const folded = text => String(text).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

// score is how well a text fits what is looked for: 0 is not at all.
export function score(text, query) {
  const [t, q] = [folded(text), folded(query)];
  if (!q) return 1;
  if (t === q) return 5;
  if (t.startsWith(q)) return 4;
  const parts = q.split(/\s+/);
  if (parts.every(part => t.split(/[\s_.-]+/).some(word => word.startsWith(part)))) return 3;
  return parts.every(part => t.includes(part)) ? 2 : 0;
}

const named = ['number', 'badge_no', 'sku', 'name', 'title', 'label', 'customer_name', 'supplier_name', 'id'];

// best are those that fit, the best first, and of equals the first.
const best = (all, most) =>
  all
    .filter(([n]) => n > 0)
    .sort(([a], [b]) => b - a)
    .slice(0, most)
    .map(([, found]) => found);

const kindOf = resource => sentence(resource.replace(/^(?:office|factory)_/, ''));
const aboutOf = r =>
  [r.number ? r.product_name : r.sku, r.customer_name, r.status && words(r.status)].filter(Boolean).join(' · ');

const exactly = 5;

// records are those that the query names, by number, name, badge, SKU or id.
export function records(query) {
  const q = query.trim();
  if (q.length < 2) return [];
  const all = places.flatMap(([page, resource]) =>
    page.includes('/') || resource === 'checkpoint' ? rows(resource).map(r => [fits(r, q), r, page, resource]) : [],
  );
  const found = best(
    all.map(([n, r, page, resource]) => [
      n,
      {
        title: sentence(nameFor(resource, r)),
        text: aboutOf(r),
        kind: kindOf(resource),
        system: page.split('/')[0],
        href: address(page, r.id),
      },
    ]),
    recordsMost,
  );
  const number = /^[a-z]{2,3}-\d{3,}$/i.test(q) ? q.toUpperCase() : q;
  const page = pageOf(number);
  if (!page || all.some(([n]) => n === exactly)) return found;
  const text = 'not among the newest records; the API may have it';
  return [{ title: number, text, kind: 'Record', href: page }, ...found];
}

// fits is how well a record fits; another name on it counts less than its own.
const fits = (r, q) =>
  Math.max(...named.map(field => (r[field] ? score(r[field], q) - (field.endsWith('_name') ? 0.5 : 0) : 0)));

// matching are the pages or actions that fit.
export const matching = (all, query) =>
  best(
    all.map(a => [Math.max(score(a.title, query), a.also ? score(a.also, query) * 0.9 : 0), a]),
    query.trim() ? 6 : all.length,
  );

// docs are the places of the docs that the server finds. A query that may hold a key is not sent,
// and none that is an id or a number.
export async function docs(query, signal) {
  const q = query.trim();
  if (q.length < 2 || /^[a-z]{2,3}[-_]\w*\d/i.test(q) || keyAnywhere.test(q) || /lab_|whsec_/i.test(q)) return [];
  const response = await fetch(`/docs/search?q=${encodeURIComponent(q)}`, {
    headers: { Accept: 'application/json' },
    signal,
    credentials: 'omit',
  });
  if (!response.ok) return [];
  return (await response.json()).slice(0, 5).map(d => ({
    title: d.title,
    text: [d.page === d.title ? '' : d.page, d.excerpt].filter(Boolean).join(': '),
    kind: 'Docs',
    href: d.path,
  }));
}
