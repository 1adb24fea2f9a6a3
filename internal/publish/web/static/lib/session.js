// The keys of a sandbox live in the tabs of a browser: in memory and in sessionStorage, which ends with each tab. A new
// tab gets them from an open one. They travel in headers and are never in an address.
import { signal, effect } from '../vendor/preact.js';

const place = 'platen.session';
export const keyShape = /^lab_(off|fac)_[A-Za-z0-9_-]{43}$/;
export const keyAnywhere = /lab_(?:off|fac)_[A-Za-z0-9_-]{43}/;

// reviewAnywhere is the token of a reviewer's link: it shows what both keys show, and sends nothing.
export const reviewAnywhere = /lab_rev_[A-Za-z0-9_-]{64}/;

// handed are the keys with which `platen open` opens the console, or the token of a reviewer's
// link: behind the # of the address, of which servers are told nothing. They are out of it before
// anything else happens.
let handed = (location.hash.match(reviewAnywhere) ?? location.hash.match(new RegExp(keyAnywhere, 'g')) ?? []).join(
  '\n',
);
if (handed) history.replaceState(history.state, '', location.pathname);

// takeHanded returns them once: who leaves the sandbox is not to be back in it at once.
export function takeHanded() {
  const keys = handed;
  handed = '';
  return keys;
}

// keysIn are the keys in a text, or the token of a reviewer's link.
export function keysIn(text) {
  const found = [...new Set(text.match(new RegExp(keyAnywhere, 'g')) ?? [])];
  return {
    review: text.match(reviewAnywhere)?.[0],
    office_key: found.find(k => k.startsWith('lab_off_')),
    factory_key: found.find(k => k.startsWith('lab_fac_')),
  };
}

function stored() {
  try {
    const s = JSON.parse(sessionStorage.getItem(place));
    return s && (s.office_key || s.factory_key || s.review) ? s : null;
  } catch {
    return null;
  }
}

// session is {sandbox_id, public_name, office_key, factory_key, seen, forked_from,
// others}, null without keys. Either key may be missing; others are the sessions that
// this tab has left for a fork or for what it comes from. A fork that was made in this tab has the
// name of its parent in forked_from. A reviewer's has no key, but review.
const before = stored();

// A link does not replace keys that only this tab has: a tab with others keeps them, and linked is the text to ask
// about, '' for none.
const owns = key => [before?.office_key, before?.factory_key, before?.review].includes(key);
const named = handed ? handed.split('\n') : [];
export const linked = signal(before && !named.some(owns) ? handed : '');
if (linked.value || named.every(owns)) handed = '';

export const session = signal(handed ? null : before);

effect(() => {
  try {
    if (session.value) sessionStorage.setItem(place, JSON.stringify(session.value));
    else sessionStorage.removeItem(place);
  } catch {
    /* the keys stay in memory */
  }
});

// arrivedEmpty reports whether the document began without keys.
export const arrivedEmpty = !session.value;

export const reviewing = () => !!session.value?.review;
// canShare is whether a read-only link can be had: of both keys, or of such a link.
export const canShare = () => reviewing() || !!(session.value?.office_key && session.value.factory_key);
export const anyKey = () => session.value?.office_key || session.value?.factory_key || session.value?.review;
export const keyFor = system => {
  const s = session.value;
  if (system === 'factory') return s?.factory_key || s?.review;
  return system === 'office' ? s?.office_key || s?.review : anyKey();
};
export const masked = key => (key ? `${key.slice(0, 8)}${'\u2022'.repeat(8)}${key.slice(-4)}` : '');

// othersMost is how many sandboxes a tab remembers beside its own.
const othersMost = 20;

export const alone = ({ others: _, ...s }) => s;
const othersOf = (s, but) => (s.others ?? []).filter(o => o.sandbox_id !== but);

// moved is the session of a tab that goes from one sandbox to another, the one that it
// leaves being the newest of the others.
export const moved = (from, to) => ({
  ...alone(to),
  others: from ? [...othersOf(from, to.sandbox_id), alone(from)].slice(-othersMost) : [],
});

// without is a session that has lost one of the others.
export const without = (s, id) => ({ ...s, others: othersOf(s, id) });

// parentOf is the original of a fork, if the tab has its keys.
export const parentOf = s => s?.others?.find(o => o.sandbox_id === s.forked_from?.sandbox_id);

// nextOf is where a tab goes whose sandbox is no more: to what it was forked from, else to
// the one that was left last.
export const nextOf = s => parentOf(s) ?? s?.others?.at(-1);

// forkOf says which company a fork comes from: by its name, as far as this tab knows it.
export const forkOf = ({ forked_from: { public_name, sandbox_id } }) => `Fork of ${public_name ?? sandbox_id}`;

// madeOf is where a sandbox comes from, in words.
export function madeOf(s) {
  if (!s?.forked_from) return '';
  const { public_name, sandbox_id, seq } = s.forked_from;
  return `${forkOf(s)}${public_name ? ` (${sandbox_id})` : ''} after event ${seq}`;
}

// theme is auto, light or dark. themes are all: name, icon and label.
export const themes = [
  ['auto', 'monitor', 'System'],
  ['light', 'sun', 'Light'],
  ['dark', 'moon', 'Dark'],
];
export const theme = signal(document.documentElement.dataset.theme ?? 'auto');
effect(() => {
  const chosen = theme.value;
  const { dataset } = document.documentElement;
  if (chosen === 'auto') delete dataset.theme;
  else dataset.theme = chosen;
  try {
    if (chosen === 'auto') localStorage.removeItem('platen.theme');
    else localStorage.setItem('platen.theme', chosen);
  } catch {
    /* it holds for this page */
  }
});

// envOf are the lines of a .env file with the keys of a session, exportsOf those of a shell, with keys as shown says.
export function envOf(s, shown = key => key) {
  let env = `PLATEN_URL=${location.origin}/v1\n`;
  if (s.office_key) env += `PLATEN_OFFICE_KEY=${shown(s.office_key)}\n`;
  if (s.factory_key) env += `PLATEN_FACTORY_KEY=${shown(s.factory_key)}\n`;
  return env;
}
export const exportsOf = (s, shown) =>
  envOf(s, shown)
    .replace(/^(?=PLATEN)/gm, 'export ')
    .trimEnd();
