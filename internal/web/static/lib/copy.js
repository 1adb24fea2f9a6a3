import { signal } from '../vendor/preact.js';

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
