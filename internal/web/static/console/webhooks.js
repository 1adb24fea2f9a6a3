// Subscriptions and what was sent to them.
import { signal, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { go } from '../lib/navigate.js';
import { anyKey } from '../lib/session.js';
import { call, Refusal } from '../lib/api.js';
import { say } from '../lib/copy.js';
import * as store from '../lib/store.js';
import { wallTime, words } from '../lib/format.js';
import { Ago, Code, Copy, Empty, Http, Problem, SkeletonRows, Status, bearer, curl } from './parts.js';

// secrets are those that were shown in this tab; nobody can show them again.
const secrets = signal({});
const systems = [
  ['*', 'Everything'],
  ['office', 'Head Office'],
  ['factory', 'Factory'],
  ['hr', 'People'],
  ['world', 'World'],
  ['sandbox', 'Sandbox'],
];

function useCall() {
  const [busy, work] = useState('');
  const [refusal, refuse] = useState(null);
  const act = async (name, path, options, then) => {
    work(name);
    refuse(null);
    try {
      then?.((await call(path, { key: anyKey(), ...options })).data);
    } catch (e) {
      refuse(e instanceof Refusal ? e : new Refusal(0));
    }
    work('');
  };
  return { busy, refusal, act, refuse };
}

function Create({ types, close }) {
  const [url, setURL] = useState('');
  const [text, describe] = useState('');
  const [chosen, choose] = useState(new Set(['*']));
  const [one, setOne] = useState('');
  const { busy, refusal, act } = useCall();
  const flip = s =>
    choose(
      s === '*'
        ? new Set(['*'])
        : (() => {
            const n = new Set(chosen);
            n.delete('*');
            n.has(s) ? n.delete(s) : n.add(s);
            return n.size ? n : new Set(['*']);
          })(),
    );
  const wanted = chosen.has('*') ? (one ? [one] : ['*']) : types.filter(t => chosen.has(t.split('.')[0]));
  const submit = e => {
    e.preventDefault();
    act(
      'create',
      '/v1/webhooks',
      { method: 'POST', body: { url, events: wanted, ...(text ? { description: text } : {}) } },
      w => {
        secrets.value = { ...secrets.value, [w.id]: w.secret };
        close();
        go(`/console/webhooks/${w.id}`);
      },
    );
  };
  return html`
    <section class="card">
      <div class="card-h">
        <h2>New webhook</h2>
        <span class="grow" />
        <button class="btn plain small" onClick=${close}><${Icon} name="x" size=${14} label="Close" /></button>
      </div>
      <form class="pad form" onSubmit=${submit}>
        <label class="field">
          <span>URL</span>
          <input
            name="url"
            type="url"
            required
            autocomplete="off"
            spellcheck="false"
            placeholder="https://hooks.example.com/platen"
            value=${url}
            onInput=${e => setURL(e.target.value)}
          />
        </label>
        <fieldset class="field plain">
          <legend>Events</legend>
          <div class="chips">
            ${systems.map(
              ([s, name]) => html`
                <button type="button" class=${`chip ${s}`} aria-pressed=${chosen.has(s)} onClick=${() => flip(s)}>
                  ${name}
                </button>
              `,
            )}
          </div>
        </fieldset>
        <label class="field">
          <span>Only this type <em>optional</em></span>
          <input
            name="type"
            list="types"
            autocomplete="off"
            spellcheck="false"
            placeholder="factory.print_run.completed"
            value=${one}
            onInput=${e => {
              setOne(e.target.value.trim());
              choose(new Set(['*']));
            }}
          />
          <datalist id="types">${types.map(t => html`<option value=${t} />`)}</datalist>
        </label>
        <label class="field">
          <span>Description <em>optional</em></span>
          <input name="description" autocomplete="off" value=${text} onInput=${e => describe(e.target.value)} />
        </label>
        ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
        <div class="row-actions">
          <span class="dim">Nothing is sent before a test ping was answered with 2xx.</span>
          <span class="grow" />
          <button class="btn primary" disabled=${busy || !!store.readOnly.value}>
            ${busy ? 'Creating…' : 'Create'}
          </button>
        </div>
      </form>
    </section>
  `;
}

const Secret = ({ id }) =>
  secrets.value[id]
    ? html`
      <div class="key sandbox">
        <div class="key-h"><b>Signing secret</b><span class="dim">shown this once</span></div>
        <div class="key-v">
          <code tabindex="0">${secrets.value[id]}</code>
          <${Copy} text=${secrets.value[id]} what="secret" />
        </div>
      </div>
    `
    : null;

function Deliveries({ list, hook, act, busy }) {
  const [status, pick] = useState('');
  const states = ['delivered', 'failed', 'pending', 'deferred', 'dropped'];
  const shown = list.filter(d => !status || d.status === status).slice(0, 200);
  return html`
    <section class="card">
      <div class="card-h">
        <h2>Deliveries</h2>
        <span class="grow" />
        <div class="chips">
          ${states.map(s => {
            const n = list.filter(d => d.status === s).length;
            return n
              ? html`
                <button class="chip bare" aria-pressed=${status === s} onClick=${() => pick(status === s ? '' : s)}>
                  ${s}
                  <span class="n">${n}</span>
                </button>
              `
              : null;
          })}
        </div>
      </div>
      ${
        !list.length
          ? html`
            <${Empty} icon="send" title="Nothing was sent yet">
              <p>
                ${
                  hook?.status === 'pending_verification'
                    ? 'Send a test ping; once it is answered with 2xx, events follow.'
                    : 'The next event that this subscription wants is sent at once.'
                }
              </p>
            <//>
          `
          : html`
            <div class="scroll" tabindex="0" role="region" aria-label="Deliveries">
              <table class="tbl">
                <thead>
                  <tr>
                    <th scope="col">Answer</th>
                    <th scope="col">Event</th>
                    <th scope="col">Status</th>
                    <th class="r" scope="col">Try</th>
                    <th class="r" scope="col">Latency</th>
                    <th class="r" scope="col">When</th>
                    <th><span class="vh">Again</span></th>
                  </tr>
                </thead>
                <tbody>
                  ${shown.map(
                    d => html`
                      <tr key=${d.id}>
                        <td>
                          ${
                            d.status_code || d.error_class
                              ? html`<${Http} status=${d.status_code} code=${d.error_class} />`
                              : html`<span class="dim">${'\u2013'}</span>`
                          }
                        </td>
                        <td class="wide"><code>${d.event_type}</code></td>
                        <td><${Status} is=${d.status} /></td>
                        <td class="r num">
                          ${d.attempt}
                          ${d.trigger === 'auto' ? '' : html` <span class="dim">${d.trigger}</span>`}
                        </td>
                        <td class="r num">${d.latency_ms == null ? '\u2013' : `${d.latency_ms} ms`}</td>
                        <td class="r dim num">
                          ${d.sent_at ? html`<${Ago} at=${d.sent_at} />` : html`at ${wallTime(d.due_at)}`}
                        </td>
                        <td class="r">
                          ${
                            hook?.status === 'active' &&
                            d.trigger !== 'test' &&
                            ['delivered', 'failed', 'dropped'].includes(d.status)
                              ? html`
                                <button
                                  class="btn small"
                                  disabled=${!!busy}
                                  onClick=${() =>
                                    act(
                                      d.id,
                                      `/v1/webhooks/${d.webhook_id}/deliveries/${d.id}/redeliver`,
                                      { method: 'POST' },
                                      () => say('Sent again'),
                                    )}
                                >
                                  <${Icon} name="rotate-cw" size=${12} />
                                  Again
                                </button>
                              `
                              : null
                          }
                        </td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
          `
      }
    </section>
  `;
}

// subscribing is how a program makes a webhook.
const subscribing = [
  `curl -s -X POST ${location.origin}/v1/webhooks ${bearer('office')} \\`,
  `  --json '{"url":"https://hooks.example.com/platen","events":["*"]}'`,
].join('\n');

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

// Verifier signs a sample for the reader's receiver, and judges a delivery that
// the receiver has captured. Neither leaves the browser.
function Verifier({ secret }) {
  const [lib, know] = useState(null);
  const [made, make] = useState(null);
  const [given, give] = useState({ secret: '', id: '', timestamp: '', signature: '', body: '' });
  const [verdict, say] = useState(null);
  const load = async () => {
    const loaded = lib ?? (await import('../lib/signature.js'));
    know(loaded);
    return loaded;
  };
  const signed = async () => {
    const { sign } = await load();
    const at = new Date();
    const body = sample(at);
    const timestamp = Math.floor(at / 1000);
    make(`curl -i http://127.0.0.1:3000/hook -H 'content-type: application/json' \\
  -H 'webhook-id: evt_0000000000000' -H 'webhook-timestamp: ${timestamp}' \\
  -H 'webhook-signature: ${sign(secret, 'evt_0000000000000', timestamp, body)}' \\
  --data-raw '${body}'`);
  };
  const check = async e => {
    e.preventDefault();
    const { judge } = await load();
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
        onInput=${e => {
          give({ ...given, [name]: e.target.value });
          say(null);
        }}
      />
    </label>
  `;
  return html`
    <section class="card">
      <div class="card-h">
        <h2>Check a signature</h2>
        <span class="grow" />
        <a class="more" href="/docs/webhooks">
          A receiver in six languages <${Icon} name="chevron-right" size=${14} />
        </a>
      </div>
      <div class="pad form">
        ${
          secret
            ? html`
              <p class="dim">
                A sample for your receiver, signed with this secret now. A correct one answers 2xx, and 400 once it is
                five minutes old.
              </p>
              ${
                made
                  ? html`<${Code} text=${made} what="signed sample" />`
                  : html`
                    <div class="row-actions">
                      <button class="btn" id="sign-sample" onClick=${signed}>
                        <${Icon} name="send" size=${14} />
                        Sign a sample
                      </button>
                    </div>
                  `
              }
            `
            : null
        }
        <form class="form" onSubmit=${check}>
          <p class="dim">Or paste what your receiver got. It stays in this browser.</p>
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
              onInput=${e => {
                give({ ...given, body: e.target.value });
                say(null);
              }}
            ></textarea>
          </label>
          ${
            verdict === null
              ? null
              : html`
                <div class=${`problem ${verdict ? 'warn' : 'ok'}`} id="verdict" role="status">
                  <${Icon} name=${verdict ? 'triangle-alert' : 'circle-check'} />
                  <div>
                    <b>${verdict || 'The signature fits, and is fresh enough.'}</b>
                    ${verdict ? html`<p><code>platen verify</code> looks closer at a captured delivery.</p>` : null}
                  </div>
                </div>
              `
          }
          <div class="row-actions"><span class="grow" /><button class="btn" id="check">Check</button></div>
        </form>
      </div>
    </section>
  `;
}

function One({ id }) {
  const hook = store.row('webhook', id);
  const list = store.rows('webhook_delivery').filter(d => d.webhook_id === id);
  const { busy, refusal, act } = useCall();
  const [ping, pinged] = useState(null);
  const [sure, ask] = useState(false);
  if (!store.loaded.value) return html`<div class="card"><${SkeletonRows} rows=${6} /></div>`;
  if (!hook)
    return html`
      <div class="card">
        <${Empty} icon="webhook" title="There is no such webhook">
          <p>It may have been deleted.</p>
          <a class="btn" href="/console/webhooks">All webhooks</a>
        <//>
      </div>
    `;
  const base = `/v1/webhooks/${id}`;
  const locked = !!store.readOnly.value;
  return html`
    <div class="title">
      <a class="btn plain small" href="/console/webhooks">
        <${Icon} name="arrow-left" size=${14} label="All webhooks" />
      </a>
      <h1>${hook.url_host}</h1>
      <${Status} is=${hook.status} />
      <span class="grow" />
      <button
        class="btn"
        id="send-test"
        disabled=${!!busy || locked}
        onClick=${() => act('test', `${base}/test`, { method: 'POST' }, pinged)}
      >
        <${Icon} name="zap" size=${14} />
        ${busy === 'test' ? 'Waiting for an answer…' : 'Send a test'}
      </button>
      ${
        hook.status === 'disabled'
          ? html`
            <button
              class="btn primary"
              disabled=${!!busy || locked}
              onClick=${() => act('enable', base, { method: 'PATCH', body: { status: 'active' } })}
            >
              <${Icon} name="power" size=${14} />
              Enable
            </button>
          `
          : null
      }
      <button
        class="btn"
        disabled=${!!busy || locked}
        onClick=${() =>
          act('rotate', `${base}/rotate-secret`, { method: 'POST' }, w => {
            secrets.value = { ...secrets.value, [id]: w.secret };
          })}
      >
        <${Icon} name="refresh-cw" size=${14} />
        Rotate secret
      </button>
      <button
        class="btn danger"
        disabled=${!!busy || locked}
        onClick=${() => (sure ? act('delete', base, { method: 'DELETE' }, () => go('/console/webhooks')) : ask(true))}
      >
        <${Icon} name="trash-2" size=${14} />
        ${sure ? 'Delete for good' : 'Delete'}
      </button>
    </div>
    ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    ${
      ping
        ? html`
          <div class=${`problem ${ping.delivered ? 'ok' : 'warn'}`} role="status">
            <${Icon} name=${ping.delivered ? 'circle-check' : 'triangle-alert'} />
            <div>
              <b>
                ${
                  ping.delivered
                    ? `Answered with ${ping.status_code} in ${ping.latency_ms} ms`
                    : `Not answered with 2xx: ${ping.status_code ?? words(ping.error_class)}`
                }
              </b>
              <p>
                ${
                  ping.delivered
                    ? 'The subscription is active: events are sent from now on.'
                    : 'It must answer 2xx within five seconds. Look at what your receiver logged, and try again.'
                }
              </p>
            </div>
          </div>
        `
        : null
    }
    <${Secret} id=${id} />
    <dl class="facts card pad-facts">
      <div><dt>Id</dt><dd><code>${hook.id}</code></dd></div>
      <div>
        <dt>Events</dt>
        <dd>
          ${hook.events.length > 3 ? `${hook.events.length} types` : html`<code>${hook.events.join(', ')}</code>`}
        </dd>
      </div>
      <div>
        <dt>Failures in a row</dt>
        <dd class="num">
          ${hook.consecutive_failures} of 5${
            hook.last_error_class ? html`${' '}<span class="dim">${words(hook.last_error_class)}</span>` : ''
          }
        </dd>
      </div>
      ${
        hook.old_secret_valid_until
          ? html`
            <div><dt>Old secret counts until</dt><dd class="num">${wallTime(hook.old_secret_valid_until)}</dd></div>
          `
          : null
      }
      <div><dt>Made</dt><dd><${Ago} at=${hook.created_at} /></dd></div>
    </dl>
    <${Deliveries} list=${list} hook=${hook} act=${act} busy=${busy} />
    <${Verifier} secret=${secrets.value[id]} />
  `;
}

export function Page({ rest }) {
  const [making, make] = useState(false);
  const hooks = store.rows('webhook').filter(w => w.status !== 'deleted');
  const all = store.rows('webhook_delivery');
  const [types, know] = useState([]);
  const begin = () => {
    make(true);
    if (!types.length)
      call('/openapi.json').then(
        ({ data }) =>
          know(
            [
              ...new Set(
                JSON.stringify(data).match(
                  /(?:office|factory|hr|world|sandbox)\.[a-z_]+\.[a-z_]+|sandbox\.(?:expiring|bankrupt)/g,
                ),
              ),
            ]
              .filter(t => !t.startsWith('sandbox.webhook.'))
              .sort(),
          ),
        () => {},
      );
  };
  if (rest[0]) return html`<${One} id=${rest[0]} />`;
  return html`
    <div class="title">
      <h1>Webhooks</h1>
      <span class="dim">${hooks.length} of 3</span>
      <span class="grow" />
      ${
        making
          ? null
          : html`
            <button class="btn primary" disabled=${hooks.length >= 3 || !!store.readOnly.value} onClick=${begin}>
              <${Icon} name="plus" size=${14} />
              Add a webhook
            </button>
          `
      }
      <p>Events that come to you, signed, at least once; tried again after 10, 60 and 300 seconds.</p>
    </div>
    ${making ? html`<${Create} types=${types} close=${() => make(false)} />` : null}
    <section class="card">
      ${
        !store.loaded.value
          ? html`<${SkeletonRows} rows=${3} />`
          : !hooks.length
            ? html`
              <${Empty} icon="webhook" title="No webhooks yet">
                <p>
                  Give Platen a URL that answers 2xx. For your own machine, <code>platen listen</code> forwards events
                  without one.
                </p>
                <${Code} what="curl" text=${subscribing} />
              <//>
            `
            : html`
              <div class="scroll" tabindex="0" role="region" aria-label="Webhooks">
                <table class="tbl">
                  <thead>
                    <tr>
                      <th scope="col">Host</th>
                      <th scope="col">Events</th>
                      <th scope="col">Status</th>
                      <th class="r" scope="col">Failures</th>
                      <th class="r" scope="col">Made</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${hooks.map(
                      w => html`
                        <tr
                          key=${w.id}
                          data-row
                          tabindex="0"
                          data-curl=${curl(`/webhooks/${w.id}`)}
                          onClick=${() => go(`/console/webhooks/${w.id}`)}
                        >
                          <td class="wide"><b>${w.url_host}</b> <span class="dim">${w.description}</span></td>
                          <td>
                            ${w.events.length === 1 ? html`<code>${w.events[0]}</code>` : `${w.events.length} types`}
                          </td>
                          <td><${Status} is=${w.status} /></td>
                          <td class="r num">${w.consecutive_failures}</td>
                          <td class="r dim num"><${Ago} at=${w.created_at} /></td>
                        </tr>
                      `,
                    )}
                  </tbody>
                </table>
              </div>
            `
      }
    </section>
    ${all.length ? html`<${Deliveries} list=${all} act=${() => {}} />` : null}
  `;
}
