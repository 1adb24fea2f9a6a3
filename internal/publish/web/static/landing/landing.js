// Makes a sandbox: at once, after a proof of work, or from the queue.
import { render, signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { call, Refusal, sleep } from '../lib/api.js';
import { offerCopy } from '../lib/copying.js';
import { clock, number, span } from '../lib/format.js';
import { proven } from '../lib/proof.js';
import { moved, session } from '../lib/session.js';

offerCopy(document.querySelectorAll('.copyable'));

const form = document.getElementById('create');
const offers = form.querySelector('fieldset');
const twin = document.getElementById('twin').firstElementChild;
const plain = twin.textContent;
// at is the state: idle, creating, proof, queue or refused.
const at = signal({ step: 'idle' });
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1000);
let control;

const faults = form.elements.faults;
const chosen = () => {
  const preset = new FormData(form).get('preset');
  return faults.value ? { preset, faults: { plan: faults.value } } : { preset };
};
form.addEventListener('change', () => {
  const body = chosen();
  document.getElementById('plan').textContent = faults.selectedOptions[0].dataset.text;
  twin.textContent =
    body.preset === 'starter' && !body.faults
      ? plain
      : `${plain} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
});
form.addEventListener('submit', event => {
  event.preventDefault();
  begin();
});

async function begin() {
  const wanted = chosen();
  control = new AbortController();
  const { signal } = control;
  offers.disabled = true;
  faults.disabled = true;
  try {
    at.value = { step: 'creating' };
    open(await wait(await ask(wanted, signal), signal));
  } catch (error) {
    at.value =
      error.name === 'AbortError'
        ? { step: 'idle' }
        : {
            step: 'refused',
            refusal:
              error instanceof Refusal
                ? error
                : new Refusal(0, { code: 'unexpected', message: String(error.message ?? error) }),
          };
    offers.disabled = false;
    faults.disabled = false;
  }
}

// ask sends the creation, and shows how a proof of work goes when one is demanded.
const ask = (wanted, signal) =>
  proven('/v1/sandboxes', {
    body: wanted,
    signal,
    demanded: difficulty => {
      at.value = { step: 'proof', difficulty, tried: 0, rate: 0, began: Date.now() };
    },
    told: (tried, rate) => {
      at.value = { ...at.value, tried, rate };
    },
    found: () => {
      at.value = { step: 'creating' };
    },
  });

// wait polls a ticket until it is a sandbox. A refusal that only says "later"
// does not cost the place.
async function wait(answer, signal) {
  const poll = answer.data.poll;
  const first = answer.data.position;
  const since = Date.now();
  while (answer.status === 202) {
    const { position, eta_s } = answer.data;
    at.value = { step: 'queue', first, position, until: Date.now() + eta_s * 1000, since };
    await sleep((Number(answer.headers.get('Retry-After')) || 3) * 1000, signal);
    for (;;) {
      try {
        answer = await call(poll, { signal });
        break;
      } catch (refusal) {
        if (!(refusal.status === 429 || refusal.status >= 500 || refusal.status === 0)) throw refusal;
        await sleep(Math.max(3000, refusal.retryAt - Date.now()), signal);
      }
    }
  }
  return answer.data;
}

// open takes the tab to a new sandbox. It keeps the keys of the one that it was in.
function open({ sandbox_id, public_name, office_key, factory_key }) {
  session.value = moved(session.value, { sandbox_id, public_name, office_key, factory_key, seen: false });
  location.assign('/console/keys');
}

const Cancel = () => html`
  <button type="button" class="btn plain small" onClick=${() => control.abort()}>Cancel</button>
`;

function Proof({ s }) {
  const expected = 2 ** s.difficulty;
  const seconds = s.rate ? Math.max(0, expected / s.rate - (now.value - s.began) / 1000) : 0;
  // The chance that it would have been found by now: it never reaches the end.
  const chance = 1 - Math.exp(-s.tried / expected);
  return html`
    <div class="wait" role="status">
      <div class="line"><b>Proving a little work</b><${Cancel} /></div>
      <div class="bar-track"><i style=${{ transform: `scaleX(${chance})` }} /></div>
      <dl>
        <div><dt>Tried</dt><dd>${number(s.tried)}</dd></div>
        <div><dt>Per second</dt><dd>${s.rate ? number(s.rate) : '\u2013'}</dd></div>
        <div>
          <dt>Expected</dt>
          <dd>${s.rate ? (seconds > 1 ? `about ${span(seconds)}` : 'any moment') : '\u2013'}</dd>
        </div>
      </dl>
      <p class="fine">
        This server asks each browser for ${s.difficulty} leading zero bits of SHA-256. It runs beside the page.
      </p>
    </div>
  `;
}

function Queue({ s }) {
  const left = Math.max(0, Math.round((s.until - now.value) / 1000));
  const done =
    s.first > 1
      ? (s.first - s.position) / s.first
      : Math.min(0.9, (now.value - s.since) / Math.max(1, s.until - s.since));
  return html`
    <div class="wait" role="status">
      <div class="line">
        <span>Position <span class="big">${s.position}</span> in the queue</span>
        <span class="dim">${left ? `about ${clock(left)}` : 'any moment'}</span>
      </div>
      <div class="bar-track"><i style=${{ transform: `scaleX(${Math.max(0.02, done)})` }} /></div>
      <div class="line">
        <p class="fine">
          The server is full. Keep this tab open to hold your position. When a sandbox is free, you have two minutes to
          claim it.
        </p>
        <${Cancel} />
      </div>
    </div>
  `;
}

const refusals = {
  unauthorized: 'Only the operator of this server can create sandboxes.',
  ticket_forfeited: 'You did not claim the sandbox within two minutes, so it went to the next in the queue.',
  ip_active_limit: 'Your network has reached the limit of active sandboxes.',
  ip_create_limit: 'Your network has reached the limit of new sandboxes per hour.',
  queue_full: 'The server and its queue are full.',
};

function Refused({ refusal }) {
  const left = refusal.retryAt ? Math.max(0, Math.ceil((refusal.retryAt - now.value) / 1000)) : 0;
  return html`
    <div class="problem ${refusal.status >= 500 || refusal.status === 0 ? 'bad' : 'warn'}" role="alert">
      <${Icon} name="triangle-alert" />
      <div>
        <b>${refusals[refusal.code] ?? refusal.message}</b>
        ${refusal.hint ? html`<p>${refusal.hint}</p>` : null}
        <p class="ids">
          <code>${refusal.code}</code>
          ${refusal.requestID ? html`<code>${refusal.requestID}</code>` : null}
          ${refusal.docsURL ? html`<a href=${refusal.docsURL}>Read about this error</a>` : null}
        </p>
      </div>
    </div>
    <button class="btn primary large" disabled=${left > 0}>${left ? `Again in ${clock(left)}` : 'Try again'}</button>
  `;
}

function Progress() {
  const s = at.value;
  switch (s.step) {
    case 'creating':
      return html`<button class="btn primary large" disabled>Creating the sandbox…</button>`;
    case 'proof':
      return html`<${Proof} s=${s} />`;
    case 'queue':
      return html`<${Queue} s=${s} />`;
    case 'refused':
      return html`<${Refused} refusal=${s.refusal} />`;
    default:
      return html`<button class="btn primary large">Create a sandbox <${Icon} name="arrow-right" /></button>`;
  }
}

const place = document.getElementById('progress');
place.replaceChildren();
render(html`<${Progress} />`, place);
