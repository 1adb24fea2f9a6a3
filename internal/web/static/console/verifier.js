// Signatures, checked with the reader's own receiver. Nothing leaves the browser.
import { useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { Code, Notice } from './parts.js';

const library = () => import('../lib/signature.js');

// sample is an event as a receiver gets it, small enough to read.
const sample = at =>
  JSON.stringify({
    id: 'evt_0000000000000',
    type: 'office.payment.received',
    created_at: at.toISOString(),
    sim_date: '2026-09-07',
    sandbox_id: 'sbx_0000000000000',
    system: 'office',
    simulation: true,
    data: { id: 'pay_0000000000000', amount_minor: 22000 },
    links: { self: '/office/payments/pay_0000000000000' },
  });

// delivery is the command that sends a sample as Platen would send it now.
async function delivery(secret) {
  const { sign } = await library();
  const at = new Date();
  const body = sample(at);
  const timestamp = Math.floor(at / 1000);
  return [
    "curl -i http://127.0.0.1:3000/hook -H 'content-type: application/json' \\",
    `  -H 'webhook-id: evt_0000000000000' -H 'webhook-timestamp: ${timestamp}' \\`,
    `  -H 'webhook-signature: ${sign(secret, 'evt_0000000000000', timestamp, body)}' \\`,
    `  --data-raw '${body}'`,
  ].join('\n');
}

function Sample({ secret }) {
  const [made, make] = useState(null);
  return html`
    <p class="dim">
      A sample for your receiver, signed with this secret now. A correct receiver responds with 2xx, and with 400
      once the sample is five minutes old.
    </p>
    ${
      made
        ? html`<${Code} text=${made} what="signed sample" />`
        : html`
          <div class="row-actions">
            <button class="btn" id="sign-sample" onClick=${async () => make(await delivery(secret))}>
              <${Icon} name="send" size=${14} />
              Sign a sample
            </button>
          </div>
        `
    }
  `;
}

const Verdict = ({ wrong }) => html`
  <${Notice} good=${!wrong} title=${wrong || 'The signature is valid and recent.'} id="verdict">
    ${wrong ? html`<p><code>platen verify</code> looks closer at a captured delivery.</p>` : null}
  <//>
`;

// Captured takes what a receiver got, and judges it.
function Captured({ secret }) {
  const [given, give] = useState({ secret: '', id: '', timestamp: '', signature: '', body: '' });
  const [verdict, say] = useState(null);
  const set = (name, text) => {
    give({ ...given, [name]: text });
    say(null);
  };
  const check = async e => {
    e.preventDefault();
    const { judge } = await library();
    say(judge({ ...given, secret: given.secret || secret || '' }, Date.now() / 1000));
  };
  const field = (name, label, rest) => html`
    <label class="field">
      <span>${label}</span>
      <input
        name=${`v-${name}`}
        autocomplete="off"
        spellcheck="false"
        required
        ...${rest}
        value=${given[name]}
        onInput=${e => set(name, e.target.value)}
      />
    </label>
  `;
  return html`
    <form class="form" onSubmit=${check}>
      <p class="dim">Or paste a request that your receiver got. It stays in your browser.</p>
      ${secret ? null : field('secret', 'Signing secret', { placeholder: 'whsec_…', type: 'password' })}
      ${field('id', 'webhook-id', { placeholder: 'evt_…' })}
      ${field('timestamp', 'webhook-timestamp', { inputmode: 'numeric', placeholder: '1793000000' })}
      ${field('signature', 'webhook-signature', { placeholder: 'v1,…' })}
      <label class="field">
        <span>Body, byte for byte</span>
        <textarea
          name="v-body"
          rows="4"
          spellcheck="false"
          required
          value=${given.body}
          onInput=${e => set('body', e.target.value)}
        ></textarea>
      </label>
      ${verdict === null ? null : html`<${Verdict} wrong=${verdict} />`}
      <div class="row-actions"><span class="grow" /><button class="btn" id="check">Check</button></div>
    </form>
  `;
}

// Verifier signs a sample for the reader's receiver, and judges a delivery that
// the receiver has captured.
export const Verifier = ({ secret }) => html`
  <section class="card">
    <div class="card-h">
      <h2>Check a signature</h2>
      <span class="grow" />
      <a class="more" href="/docs/webhooks">
        A receiver in six languages <${Icon} name="chevron-right" size=${14} />
      </a>
    </div>
    <div class="pad form">
      ${secret ? html`<${Sample} secret=${secret} />` : null}
      <${Captured} secret=${secret} />
    </div>
  </section>
`;
