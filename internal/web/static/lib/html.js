import { h, htm } from '../vendor/preact.js';

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
