// Signatures, checked with the reader's own receiver.
import { signal, useEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { send } from '../lib/store.js';
import { Code, Notice, Problem } from './parts.js';

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

export function Sample({ secret }) {
  const [made, make] = useState(null);
  return html`
    <p class="dim">
      Make a signed test request. Your receiver should accept it now, and reject it with 400 after
      five minutes.
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

// titleOf says in a line what an examination came to.
const titleOf = ({ verified, genuine }) =>
  verified
    ? 'The signature is valid and recent.'
    : genuine
      ? 'The signature is valid, but the timestamp is not.'
      : 'The signature is invalid.';

const Verdict = ({ report }) => html`
  <${Notice} good=${report.verified} title=${titleOf(report)} id="verdict">
    ${report.findings.map(
      ({ code, certain, text }) => html`<p><code>${code}</code> ${certain ? '' : 'Likely: '}${text}</p>`,
    )}
  <//>
`;

// Expected is the signature that a delivery has with a secret: what the receiver's header is compared with.
const Expected = ({ signature }) =>
  signature
    ? html`
      <${Notice} good title="The signature with this secret" id="verdict">
        <p>
          Compare it with the header webhook-signature that your receiver got, or paste that header to find the cause.
        </p>
        <${Code} text=${signature} what="signature" />
      <//>
    `
    : html`<${Notice} title="Invalid secret: it must be whsec_ and base64." id="verdict" />`;

const nothing = { secret: '', id: '', timestamp: '', signature: '', body: '' };
// given is the captured delivery, as far as it is known; filled is when a delivery has filled it in.
const given = signal(nothing);
const filled = signal(0);

// captured are the members of a delivery in a text with its headers, followed by an empty line and the body if the text
// has that; null for a text without headers. Headers may be lines of HTTP, of curl -v or of JSON. Platen sends no
// line break at the end of a body.
export function captured(text) {
  const found = {};
  let end = 0;
  for (const { 0: line, 1: name, 2: value, index } of text.matchAll(
    /^[<>\s]*"?webhook-(id|timestamp|signature)"?\s*[:=]\s*"?([^"\r\n]+)"?,?\r?\n?/gim,
  )) {
    found[name.toLowerCase()] = value.trim();
    end = index + line.length;
  }
  if (!end) return null;
  const body = text.slice(end).match(/(?:^|\r?\n)[<>]?[ \t]*\r?\n([\s\S]+)/);
  return body ? { ...found, body: body[1].replace(/\r?\n$/, '') } : found;
}

// check takes a delivery to be checked: its reader adds the secret.
export function check(delivery) {
  given.value = { ...nothing, ...delivery };
  filled.value++;
}

// Captured takes what a receiver got, and judges it.
function Captured({ secret }) {
  const [verdict, say] = useState(null);
  const form = useRef();
  const values = given.value;
  const set = (name, text) => {
    given.value = { ...values, [name]: text };
    say(null);
  };
  useEffect(() => {
    say(null);
    if (!filled.value) return;
    const empty = [...form.current.querySelectorAll('input, textarea')].find(e => !e.value);
    form.current.scrollIntoView({ block: 'nearest' });
    empty?.focus();
  }, [filled.value]);
  useEffect(() => () => check({}), []);
  const submit = async e => {
    e.preventDefault();
    const all = { ...values, secret: values.secret || secret || '' };
    if (!all.signature) {
      const { sign } = await library();
      return say({ signature: sign(all.secret, all.id, all.timestamp, all.body) });
    }
    try {
      say({ report: (await send('/console/data/verify', all)).data });
    } catch (refusal) {
      say({ refusal });
    }
  };
  const field = (name, label, rest) => html`
    <label class="field">
      <span>${label}${rest.required === false ? html` <em>optional</em>` : null}</span>
      <input
        name=${`v-${name}`}
        autocomplete="off"
        spellcheck="false"
        required
        ...${rest}
        value=${values[name]}
        onInput=${e => set(name, e.target.value)}
      />
    </label>
  `;
  const paste = e => {
    const found = captured(e.clipboardData.getData('text'));
    if (!found) return;
    e.preventDefault();
    given.value = { ...values, ...found };
    say(null);
  };
  return html`
    <form class="form" ref=${form} onSubmit=${submit} onPaste=${paste}>
      <p class="dim">
        Paste a request that your receiver got, headers and body at once or one by one. The server
        that sent it checks it, keeps nothing of it, and finds what${' '}<code>platen verify</code> finds.
      </p>
      ${secret ? null : field('secret', 'Signing secret', { placeholder: 'whsec_…', type: 'password' })}
      ${field('id', 'webhook-id', { placeholder: 'evt_…' })}
      ${field('timestamp', 'webhook-timestamp', { inputmode: 'numeric', placeholder: '1793000000' })}
      ${field('signature', 'webhook-signature', { placeholder: 'v1,…', required: false })}
      <label class="field">
        <span>Body, byte for byte</span>
        <textarea
          name="v-body"
          rows="4"
          spellcheck="false"
          required
          value=${values.body}
          onInput=${e => set('body', e.target.value)}
        ></textarea>
      </label>
      ${verdict?.refusal ? html`<${Problem} refusal=${verdict.refusal} />` : null}
      ${verdict?.report ? html`<${Verdict} report=${verdict.report} />` : null}
      ${verdict && 'signature' in verdict ? html`<${Expected} signature=${verdict.signature} />` : null}
      <div class="row-actions"><span class="grow" /><button class="btn" id="check">Check</button></div>
    </form>
  `;
}

// Verifier judges a delivery that the receiver has captured.
export function Verifier({ secret }) {
  const [open, flip] = useState(false);
  useEffect(() => {
    if (given.value.id) flip(true);
  }, [filled.value]);
  return html`
    <details class="card verifier" open=${open} onToggle=${e => flip(e.target.open)}>
      <summary class="card-h">
        <${Icon} name="chevron-right" size=${14} />
        <h2>Check a signature</h2>
      </summary>
      <div class="pad form">
        <${Captured} secret=${secret} />
        <a class="more" href="/docs/webhooks">
          A receiver in six languages <${Icon} name="chevron-right" size=${14} />
        </a>
      </div>
    </details>
  `;
}
