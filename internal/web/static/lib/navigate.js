import { signal } from '../vendor/preact.js';

// path is where the console is, without a query: nothing that somebody types
// ever stands in an address.
export const path = signal(location.pathname);

export function go(to) {
  if (to === path.value) return;
  history.pushState(null, '', to);
  path.value = to;
  scrollTo(0, 0);
}

addEventListener('popstate', () => {
  path.value = location.pathname;
});

addEventListener('click', event => {
  const link = event.target.closest?.('a[href]');
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    link.target
  )
    return;
  const url = new URL(link.href);
  if (
    url.origin !== location.origin ||
    !/^\/console(\/|$)/.test(url.pathname) ||
    url.pathname.startsWith('/console/data')
  )
    return;
  event.preventDefault();
  go(url.pathname);
});

// Keys, where nothing is being typed. Rows are what has data-row; what they
// stand for as a command is in data-curl.
const goes = {
  o: '/console',
  b: '/console/bridge',
  e: '/console/events',
  h: '/console/office',
  f: '/console/factory',
  p: '/console/presses',
  m: '/console/missions',
  w: '/console/webhooks',
  r: '/console/requests',
  k: '/console/keys',
  c: '/console/connect',
  s: '/console/session',
};
export const helping = signal(false);
// onPause is what `p` does on a page that can hold still.
export const onPause = { current: null };
// pressedG is when g was pressed, by the clock of the key events: a page that is
// busy handles a key late, but does not lose it.
let pressedG = -Infinity;

const visible = element => element.offsetParent !== null;

function step(by) {
  const all = [...document.querySelectorAll('main [data-row]')].filter(visible);
  if (!all.length) return;
  const at = all.indexOf(document.activeElement?.closest?.('[data-row]'));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

export function listen(copyCurl) {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (event.key === 'Escape' && helping.value) {
      helping.value = false;
      return;
    }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) {
      if (event.key === 'Escape') {
        if (target.dataset.filter !== undefined && target.value) {
          target.value = '';
          target.dispatchEvent(new Event('input', { bubbles: true }));
        }
        target.blur();
      }
      return;
    }
    if (event.timeStamp - pressedG < 1200) {
      pressedG = -Infinity;
      if (goes[event.key]) {
        event.preventDefault();
        go(goes[event.key]);
        return;
      }
    }
    const act = {
      '/': () => document.querySelector('main [data-filter]')?.focus(),
      j: () => step(1),
      k: () => step(-1),
      g: () => {
        pressedG = event.timeStamp;
      },
      '?': () => {
        helping.value = !helping.value;
      },
      p: () => onPause.current?.(),
      c: () => {
        const curl = document.activeElement?.closest?.('[data-curl]')?.dataset.curl;
        if (curl) copyCurl(curl);
      },
    }[event.key];
    if (act) {
      event.preventDefault();
      act();
      return;
    }
    if (event.key === 'Enter' && target.matches?.('tr[data-row], li[data-row], div[data-row]')) {
      event.preventDefault();
      target.click();
    }
  });
}
