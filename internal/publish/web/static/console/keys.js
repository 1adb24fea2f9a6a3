// The two keys: once in full, masked from then on until you ask.
import { useEffect, useState } from '../vendor/preact.js';
import { html, Icon, Mark, copy, download } from '../lib/html.js';
import { envOf, exportsOf, session, madeOf, masked } from '../lib/session.js';
import { go } from '../lib/navigate.js';
import { bearer } from '../lib/format.js';
import { Code, Copy } from './parts.js';

function Key({ system, name, routes, value, open }) {
  const [shown, show] = useState(open);
  if (!value)
    return html`
      <div class=${`key ${system}`}>
        <div class="key-h"><b>${name}</b><code class="dim">${routes}</code></div>
        <p class="dim">Add this key to see pages of ${name}.</p>
      </div>
    `;
  return html`
    <div class=${`key ${system}`}>
      <div class="key-h"><b>${name}</b><code class="dim">${routes}</code></div>
      <div class="key-v">
        <code tabindex="0" aria-label=${`${name} key`}>${shown ? value : masked(value)}</code>
        ${
          open
            ? null
            : html`
              <button class="btn small" aria-pressed=${shown} onClick=${() => show(!shown)}>
                ${shown ? 'Hide' : 'Show'}
              </button>
            `
        }
        <${Copy} text=${value} what=${`${name} key`} />
      </div>
    </div>
  `;
}

export function Page() {
  const s = session.value;
  const fresh = !s.seen;
  const env = envOf(s);
  const done = () => {
    session.value = { ...s, seen: true };
    go('/console');
  };
  // A fork brings here without a new document, of which a screen reader would tell.
  useEffect(() => {
    if (fresh) document.getElementById('main').focus();
  }, []);
  const curl = `curl -s ${location.origin}/v1/office/sales-orders \\\n  ${bearer('office')}`;
  const body = html`
    <${Key} system="office" name="Head Office" routes="/v1/office/…" value=${s.office_key} open=${fresh} />
    <${Key} system="factory" name="Factory" routes="/v1/factory/…" value=${s.factory_key} open=${fresh} />
    <div class="row-actions">
      <button class="btn" onClick=${() => copy(env, '.env')}><${Icon} name="terminal" />Copy as .env</button>
      <button class="btn" onClick=${() => download(env, `${s.sandbox_id ?? 'platen'}.env`)}>
        <${Icon} name="download" />
        Download .env
      </button>
      <span class="grow" />
      ${
        fresh
          ? html`
            <button class="btn primary" id="saved" onClick=${done}>
              I have saved them
              <${Icon} name="arrow-right" />
            </button>
          `
          : null
      }
    </div>
    <div class="first-curl">
      <h2>Your first request</h2>
      <p class="dim">Paste these lines into a shell first. The copy has the full keys.</p>
      <${Code} text=${exportsOf(s)} what="export lines">${exportsOf(s, masked)}<//>
      <${Code} text=${curl} what="first request" />
    </div>
  `;
  if (!fresh)
    return html`
      <div class="title">
        <h1>Keys</h1>
        <p>
          Save them: your browser keeps them until you close its Platen tabs, and the server stores only a hash of each.
        </p>
      </div>
      <div class="narrow">${body}</div>
    `;
  return html`
    <main class="gate" id="main" tabindex="-1">
      <div class="gate-card">
        <div class="brand"><${Mark} />${s.public_name}<code class="dim">${s.sandbox_id}</code></div>
        <h1>Your two keys</h1>
        ${s.forked_from ? html`<p id="made-of">${madeOf(s)}</p>` : null}
        <p class="lead">
          One key per system. Each key works only with its own system. The server shows them once and stores only a hash
          of each. Your browser keeps them until you close its Platen
          tabs.
        </p>
        ${body}
      </div>
    </main>
  `;
}
