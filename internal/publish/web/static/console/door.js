// Without keys there is nothing to watch: paste them, or create a sandbox.
import { useEffect, useState } from '../vendor/preact.js';
import { html, Icon, Mark } from '../lib/html.js';
import { arrivedEmpty, keysIn, session, takeHanded } from '../lib/session.js';
import * as store from '../lib/store.js';
import { Problem } from './parts.js';

// Found says which keys a pasted text has.
const Found = ({ system, name, has }) => html`
  <span class=${`${system} ${has ? '' : 'off'}`}><i class="dot" />${name} ${has ? 'key found' : 'key missing'}</span>
`;

// settleMs is how long the door waits after the first offer of another tab for a second one.
const settleMs = 200;
let enters = arrivedEmpty;

// Elsewhere has the sandboxes that other tabs of the browser have open. A tab that was opened without keys enters the
// only one by itself.
function Elsewhere() {
  const [open, set] = useState([]);
  const enter = s => store.enter({ ...s, seen: true });
  useEffect(() => {
    const alone = enters;
    enters = false;
    const heard = new Map();
    let settled;
    const end = store.offered(s => {
      if (!s.review || !heard.has(s.sandbox_id)) heard.set(s.sandbox_id, s);
      settled ??= setTimeout(() => {
        if (alone && heard.size === 1 && !document.querySelector('#paste').value) enter([...heard.values()][0]);
      }, settleMs);
      if (!alone || heard.size > 1) set([...heard.values()]);
    });
    return () => {
      clearTimeout(settled);
      end();
    };
  }, []);
  if (!open.length) return null;
  return html`
    <h2 id="elsewhere">Open in other tabs</h2>
    <ul class="checkpoints" aria-labelledby="elsewhere">
      ${open.map(
        s => html`
          <li key=${s.sandbox_id}>
            <div class="grow"><b>${s.public_name}</b><p class="dim"><code>${s.sandbox_id}</code></p></div>
            <button type="button" class="btn small" onClick=${() => enter(s)}>
              Open<span class="vh"> ${s.public_name}</span>
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}

export function Page() {
  const [text, set] = useState(takeHanded);
  const [refusal, refuse] = useState(null);
  const [busy, work] = useState(false);
  const keys = keysIn(text);
  const enter = async e => {
    e?.preventDefault();
    work(true);
    refuse(null);
    try {
      session.value = await store.opened(keys);
    } catch (error) {
      refuse(error);
      work(false);
    }
  };
  useEffect(() => {
    if (text) enter();
  }, []);
  return html`
    <main class="gate" id="main">
      <div class="gate-card">
        <a class="brand" href="/"><${Mark} />Platen</a>
        <h1>Which sandbox?</h1>
        <p class="lead">
          Paste one or both keys of a sandbox, or a <code>.env</code> file. They stay in this browser until you close
          its Platen tabs, and are sent in headers only.
        </p>
        ${text ? null : html`<${Elsewhere} />`}
        <form onSubmit=${enter}>
          <label class="field">
            <span>Keys</span>
            <textarea
              id="paste"
              rows="4"
              autocomplete="off"
              spellcheck="false"
              placeholder=${'lab_off_…\nlab_fac_…'}
              value=${text}
              onInput=${e => set(e.target.value)}
            />
          </label>
          <p class="found" role="status">
            <${Found} system="office" name="Head Office" has=${keys.office_key} />
            <${Found} system="factory" name="Factory" has=${keys.factory_key} />
          </p>
          ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
          <div class="row-actions">
            <a class="btn plain" href="/">Create a sandbox</a>
            <span class="grow" />
            <button class="btn primary" disabled=${!(keys.office_key || keys.factory_key || keys.review) || busy}>
              ${busy ? 'Opening…' : 'Open the console'}
              <${Icon} name="arrow-right" />
            </button>
          </div>
        </form>
      </div>
    </main>
  `;
}
