import { h, htm, signal } from '../vendor/preact.js';

export const html = htm.bind(h);

const sprite = new URL('../vendor/icons.svg', import.meta.url).pathname;

// Icon shows one of the sprite. With a label it is an image, without one it is
// decoration.
export const Icon = ({ name, size = 16, label }) => html`
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width=${size}
    height=${size}
    role=${label ? 'img' : undefined}
    aria-label=${label}
    aria-hidden=${label ? undefined : 'true'}
  >
    <use href=${`${sprite}#${name}`} />
  </svg>
`;

export const Mark = ({ size = 22 }) => html`
  <svg class="logo" viewBox="0 0 32 32" width=${size} height=${size} aria-hidden="true">
    <circle class="c" cx="12" cy="16" r="10" />
    <circle class="m" cx="20" cy="16" r="10" />
    <path class="k" d="M16 6.83a10 10 0 0 1 0 18.34a10 10 0 0 1 0-18.34z" />
  </svg>
`;

// toast is a word of confirmation at the foot of the page.
export const toast = signal('');
let timer;
export function say(text) {
  toast.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.value = '';
  }, 2600);
}

// copy puts a text on the clipboard, also where navigator.clipboard is missing
// because the page came over plain http.
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
    return true;
  } catch {
    /* the old way below */
  }
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'vh';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  focused?.focus?.();
  say(done ? `${what} copied` : 'Select the text and press Ctrl+C');
  return done;
}

export function download(text, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
