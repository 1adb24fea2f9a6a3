// The list of keys.
import { html, Icon } from '../lib/html.js';
import { helping } from '../lib/navigate.js';

const shortcuts = [
  ['/', 'Filter this page'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['c', 'Copy the row as curl'],
  ['p', 'Pause the list of events or requests'],
  ['g o', 'Overview'],
  ['g b', 'Bridge'],
  ['g e', 'Events'],
  ['g h', 'Head Office'],
  ['g f', 'Factory'],
  ['g p', 'Presses'],
  ['g m', 'Missions'],
  ['g w', 'Webhooks'],
  ['g r', 'Requests'],
  ['g i', 'Faults'],
  ['g t', 'Checkpoints'],
  ['?', 'This list'],
];

export function Page({ chord }) {
  const close = () => {
    helping.value = false;
  };
  return html`
    <div class="veil" onClick=${close}>
      <div class="dialog" role="dialog" aria-modal="true" aria-label="Keyboard" onClick=${e => e.stopPropagation()}>
        <div class="card-h">
          <h2>Keyboard</h2>
          <span class="grow" />
          <button class="btn plain small" ref=${b => b?.focus()} onClick=${close}>
            <${Icon} name="x" size=${14} label="Close" />
          </button>
        </div>
        <dl class="keys-list">
          ${[[chord, 'Find a record, a page or an action'], ...shortcuts].map(
            ([k, what]) => html`<div><dt>${k.split(/ +/).map(x => html`<kbd>${x}</kbd>`)}</dt><dd>${what}</dd></div>`,
          )}
        </dl>
      </div>
    </div>
  `;
}
