// A link with keys asks before this tab leaves its sandbox.
import { html, say } from '../lib/html.js';
import { keysIn, linked, moved, session } from '../lib/session.js';
import { Refusal } from '../lib/api.js';
import * as store from '../lib/store.js';
import { Sure } from './forks.js';

async function open(text) {
  try {
    const next = await store.opened(keysIn(text));
    if (next.sandbox_id === session.value?.sandbox_id) say('This tab is in that sandbox already');
    else store.enter(moved(session.value, next));
  } catch (e) {
    say(e instanceof Refusal ? `The link was not opened: ${e.message}` : 'Something went wrong');
  }
}

export function Page() {
  const text = linked.value;
  const { public_name, sandbox_id, review } = session.value;
  const close = () => {
    linked.value = '';
  };
  return html`
    <${Sure}
      title="Open the sandbox of this link?"
      yes="Open it"
      no="Stay here"
      kind="primary"
      act=${() => open(text)}
      close=${close}
    >
      <p>
        This tab is in <b>${public_name ?? sandbox_id ?? 'another sandbox'}</b>. If you open the link, the tab moves to
        the sandbox of the link.
      </p>
      <p class="dim">
        ${review ? 'Your read-only link stays' : 'Your keys stay'} in this tab, under Session. Open links with keys only
        if you trust their sender: your snippets would have those keys, too.
      </p>
    <//>
  `;
}
