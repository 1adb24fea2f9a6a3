// The docs with a script: copy buttons, the keys of this tab's sandbox
// in the snippets, the language that was chosen before, "/" for the search, and
// where one is on the page. Without it every page reads the same.
import { offerCopy } from './lib/copying.js';

const keys = (() => {
  try {
    return JSON.parse(sessionStorage.getItem('platen.session')) ?? {};
  } catch {
    return {};
  }
})();
const known = { office: keys.office_key, factory: keys.factory_key };

// The keys are shown masked, and copied whole. A page that makes a sandbox of its own goes on with
// the keys of that one.
const makesOwn = [...document.querySelectorAll('div.code')].some(block =>
  /\bPLATEN_(OFFICE|FACTORY)_KEY=/.test(block.textContent),
);
for (const place of makesOwn ? [] : document.querySelectorAll('div.code :is(.office, .factory)')) {
  const key = known[place.className];
  if (!key || !/^\$\{?PLATEN_(OFFICE|FACTORY)_KEY\}?$/.test(place.textContent)) continue;
  place.dataset.text = key;
  place.textContent = `${key.slice(0, 8)}\u2026${key.slice(-4)}`;
  place.title = 'Your sandbox key. Copy to get the full key';
  place.classList.add('filled');
}

// A tab without keys gets those of the only sandbox that other tabs of the browser have open, and loses them when that
// is signed out of. lib/store.js is the other side.
const place = 'platen.session';
const settleMs = 200;
if (!makesOwn && document.querySelector('form.try, div.code :is(.office, .factory)')) {
  const tabs = new BroadcastChannel(place);
  const open = new Map();
  const renew = change => {
    change();
    location.reload();
  };
  tabs.onmessage = ({ data: { offer, left } }) => {
    if (left && left === keys.sandbox_id) renew(() => sessionStorage.removeItem(place));
    if (!offer || offer.review || keys.sandbox_id) return;
    open.set(offer.sandbox_id, offer);
    if (open.size > 1) return;
    setTimeout(() => {
      if (open.size === 1) renew(() => sessionStorage.setItem(place, JSON.stringify(offer)));
    }, settleMs);
  };
  if (!keys.sandbox_id) tabs.postMessage({ ask: true });
}

offerCopy(document.querySelectorAll('div.code'));

// The language of the samples is the one that was chosen last, on any page.
const language = 'platen.language';
for (const choice of document.querySelectorAll(':is(.samples, .languages) input')) {
  try {
    if (localStorage.getItem(language) === choice.value) choice.checked = true;
  } catch {
    /* storage may be refused; the first stays */
  }
  choice.addEventListener('change', () => {
    try {
      localStorage.setItem(language, choice.value);
    } catch {
      /* then it is chosen again on the next page */
    }
  });
}

addEventListener('keydown', event => {
  if (
    event.key !== '/' ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.closest?.('input, textarea, select, [contenteditable]')
  )
    return;
  event.preventDefault();
  document.getElementById('find')?.focus();
});

// A key that is pasted into the search would be in an address, and be revoked.
const secret = /lab_(?:off|fac|grd|rev)_[A-Za-z0-9_-]{8}|whsec_|sbh_/;
document.querySelector('.find')?.addEventListener('submit', event => {
  const field = event.target.elements.q;
  const pasted = secret.test(field.value);
  field.setCustomValidity(pasted ? 'This looks like a key. Never put a key in a URL.' : '');
  if (pasted || !field.value.trim()) event.preventDefault();
  if (pasted) field.reportValidity();
});

// Places appear while you type. Enter leads to the page with all of them.
const field = document.getElementById('find');
if (field) {
  const list = document.createElement('ul');
  list.className = 'quick';
  list.ariaLabel = 'Places found';
  list.popover = 'auto';
  field.form.append(list);
  const row = place => {
    const item = document.createElement('li');
    const link = item.appendChild(document.createElement('a'));
    link.href = place.path;
    link.textContent = place.title === place.page ? place.title : `${place.page}: ${place.title}`;
    link.appendChild(document.createElement('small')).textContent = place.excerpt;
    return item;
  };
  let typed = 0;
  const look = async () => {
    const now = typed;
    const query = field.value.trim();
    let places = [];
    if (query.length > 1 && !secret.test(query)) {
      const headers = { accept: 'application/json' };
      places = await fetch(`/docs/search?q=${encodeURIComponent(query)}`, { headers })
        .then(response => (response.ok ? response.json() : []))
        .catch(() => []);
    }
    if (now !== typed) return; // more was typed meanwhile
    list.replaceChildren(...places.slice(0, 8).map(row));
    const { left, bottom, width } = field.getBoundingClientRect();
    Object.assign(list.style, { left: `${left}px`, top: `${bottom + 4}px`, width: `${width}px` });
    list.togglePopover(places.length > 0);
  };
  field.addEventListener('input', () => {
    field.setCustomValidity('');
    typed += 1;
    const now = typed;
    setTimeout(() => now === typed && look(), 150);
  });
  field.form.addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [field, ...list.querySelectorAll('a')];
    if (!step || !list.matches(':popover-open')) return;
    event.preventDefault();
    stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus();
  });
}

const places = new Map([...document.querySelectorAll('.onpage a')].map(a => [decodeURIComponent(a.hash.slice(1)), a]));
if (places.size) {
  const headings = [...places.keys()].map(id => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    let now = headings[0];
    for (const h of headings) if (h.getBoundingClientRect().top < 140) now = h;
    for (const [id, a] of places) a.classList.toggle('here', id === now.id);
  };
  addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true });
  mark();
}

// The list beside the page shows where one is, without moving the page.
const list = document.querySelector('.contents');
const here = list?.querySelector('[aria-current]');
if (here && list.scrollHeight > list.clientHeight) list.scrollTop = here.offsetTop - list.clientHeight / 2;
