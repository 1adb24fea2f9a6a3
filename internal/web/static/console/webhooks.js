// Subscriptions and what was sent to them.
import { signal, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { go } from '../lib/navigate.js';
import { anyKey } from '../lib/session.js';
import { call, Refusal } from '../lib/api.js';
import * as store from '../lib/store.js';
import { wallTime, words } from '../lib/format.js';
import { Ago, Code, Copy, Empty, Notice, Problem, SkeletonRows, Status, Table, bearer, curl } from './parts.js';
import { Deliveries } from './deliveries.js';
import { Verifier } from './verifier.js';

// secrets are those that were shown in this tab; nobody can show them again.
const secrets = signal({});
const keep = (id, secret) => {
  secrets.value = { ...secrets.value, [id]: secret };
};

const systems = [
  ['*', 'Everything'],
  ['office', 'Head Office'],
  ['factory', 'Factory'],
  ['hr', 'People'],
  ['world', 'World'],
  ['sandbox', 'Sandbox'],
];
const everything = () => new Set(['*']);
const hooksMost = 3;

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

// Which takes the events that a subscription wants: all, those of some systems,
// or those of one type.
function Which({ types, chosen, choose, one, setOne }) {
  const flip = s => {
    const next = new Set(chosen);
    next.delete('*');
    if (s === '*') next.clear();
    else if (!next.delete(s)) next.add(s);
    choose(next.size ? next : everything());
  };
  return html`
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
          choose(everything());
        }}
      />
      <datalist id="types">${types.map(t => html`<option value=${t} />`)}</datalist>
    </label>
  `;
}

function Create({ types, close }) {
  const [url, setURL] = useState('');
  const [text, describe] = useState('');
  const [chosen, choose] = useState(everything());
  const [one, setOne] = useState('');
  const { busy, refusal, act } = useCall();
  const submit = e => {
    e.preventDefault();
    const every = one ? [one] : ['*'];
    const events = chosen.has('*') ? every : types.filter(t => chosen.has(t.split('.')[0]));
    const body = { url, events, ...(text ? { description: text } : {}) };
    act('create', '/v1/webhooks', { method: 'POST', body }, w => {
      keep(w.id, w.secret);
      close();
      go(`/console/webhooks/${w.id}`);
    });
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
        <${Which} types=${types} chosen=${chosen} choose=${choose} one=${one} setOne=${setOne} />
        <label class="field">
          <span>Description <em>optional</em></span>
          <input name="description" autocomplete="off" value=${text} onInput=${e => describe(e.target.value)} />
        </label>
        ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
        <div class="row-actions">
          <span class="dim">Nothing is sent before your receiver responded to a test ping with 2xx.</span>
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

// subscribing is how a program makes a webhook.
const subscribing = [
  `curl -s -X POST ${location.origin}/v1/webhooks ${bearer('office')} \\`,
  `  --json '{"url":"https://hooks.example.com/platen","events":["*"]}'`,
].join('\n');

// Actions are all that can be done to a subscription.
function Actions({ hook, act, busy, pinged }) {
  const [sure, ask] = useState(false);
  const base = `/v1/webhooks/${hook.id}`;
  const disabled = !!busy || !!store.readOnly.value;
  const test = () => act('test', `${base}/test`, { method: 'POST' }, pinged);
  const enable = () => act('enable', base, { method: 'PATCH', body: { status: 'active' } });
  const rotate = () => act('rotate', `${base}/rotate-secret`, { method: 'POST' }, w => keep(hook.id, w.secret));
  const remove = () => act('delete', base, { method: 'DELETE' }, () => go('/console/webhooks'));
  return html`
    <button class="btn" id="send-test" disabled=${disabled} onClick=${test}>
      <${Icon} name="zap" size=${14} />
      ${busy === 'test' ? 'Waiting for the response…' : 'Send a test'}
    </button>
    ${
      hook.status === 'disabled'
        ? html`
          <button class="btn primary" disabled=${disabled} onClick=${enable}>
            <${Icon} name="power" size=${14} />
            Enable
          </button>
        `
        : null
    }
    <button class="btn" disabled=${disabled} onClick=${rotate}>
      <${Icon} name="refresh-cw" size=${14} />
      Rotate secret
    </button>
    <button class="btn danger" disabled=${disabled} onClick=${() => (sure ? remove() : ask(true))}>
      <${Icon} name="trash-2" size=${14} />
      ${sure ? 'Delete for good' : 'Delete'}
    </button>
  `;
}

// Ping is what became of a test.
function Ping({ ping }) {
  const { delivered, status_code, latency_ms, error_class } = ping;
  const title = delivered
    ? `Responded with ${status_code} in ${latency_ms} ms`
    : `No 2xx response: ${status_code ?? words(error_class)}`;
  return html`
    <${Notice} good=${delivered} title=${title}>
      <p>
        ${
          delivered
            ? 'The subscription is active: events are sent from now on.'
            : 'It must respond with 2xx within five seconds. Read the log of your receiver, and try again.'
        }
      </p>
    <//>
  `;
}

const Facts = ({ hook }) => html`
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
        ${hook.consecutive_failures} of 5 ${
          hook.last_error_class ? html`<span class="dim">${words(hook.last_error_class)}</span>` : null
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
`;

function One({ id }) {
  const hook = store.row('webhook', id);
  const list = store.rows('webhook_delivery').filter(d => d.webhook_id === id);
  const { busy, refusal, act } = useCall();
  const [ping, pinged] = useState(null);
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
  return html`
    <div class="title">
      <a class="btn plain small" href="/console/webhooks">
        <${Icon} name="arrow-left" size=${14} label="All webhooks" />
      </a>
      <h1>${hook.url_host}</h1>
      <${Status} is=${hook.status} />
      <span class="grow" />
      <${Actions} hook=${hook} act=${act} busy=${busy} pinged=${pinged} />
    </div>
    ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    ${ping ? html`<${Ping} ping=${ping} />` : null}
    <${Secret} id=${id} />
    <${Facts} hook=${hook} />
    <${Deliveries} list=${list} hook=${hook} act=${act} busy=${busy} />
    <${Verifier} secret=${secrets.value[id]} />
  `;
}

// typesOf finds the types of events in the OpenAPI document.
const typesOf = openapi => {
  const named = /(?:office|factory|hr|world|sandbox)\.[a-z_]+\.[a-z_]+|sandbox\.(?:expiring|bankrupt)/g;
  return [...new Set(JSON.stringify(openapi).match(named))].filter(t => !t.startsWith('sandbox.webhook.')).sort();
};

const Hook = ({ w }) => html`
  <tr
    data-row
    tabindex="0"
    data-curl=${curl(`/webhooks/${w.id}`)}
    onClick=${() => go(`/console/webhooks/${w.id}`)}
  >
    <td class="wide"><b>${w.url_host}</b> <span class="dim">${w.description}</span></td>
    <td>${w.events.length === 1 ? html`<code>${w.events[0]}</code>` : `${w.events.length} types`}</td>
    <td><${Status} is=${w.status} /></td>
    <td class="r num">${w.consecutive_failures}</td>
    <td class="r dim num"><${Ago} at=${w.created_at} /></td>
  </tr>
`;

function Hooks({ hooks }) {
  if (!store.loaded.value) return html`<${SkeletonRows} rows=${3} />`;
  if (!hooks.length)
    return html`
      <${Empty} icon="webhook" title="No webhooks yet">
        <p>
          Give Platen a URL that responds with 2xx. For your own machine, <code>platen listen</code> forwards events
          without one.
        </p>
        <${Code} what="curl" text=${subscribing} />
      <//>
    `;
  return html`
    <${Table} label="Webhooks" head=${['Host', 'Events', 'Status', ['Failures', 'r'], ['Made', 'r']]}>
      ${hooks.map(w => html`<${Hook} key=${w.id} w=${w} />`)}
    <//>
  `;
}

export function Page({ rest }) {
  const [making, make] = useState(false);
  const [types, know] = useState([]);
  const hooks = store.rows('webhook').filter(w => w.status !== 'deleted');
  const all = store.rows('webhook_delivery');
  const begin = () => {
    make(true);
    if (!types.length)
      call('/openapi.json').then(
        ({ data }) => know(typesOf(data)),
        () => {},
      );
  };
  if (rest[0]) return html`<${One} id=${rest[0]} />`;
  return html`
    <div class="title">
      <h1>Webhooks</h1>
      <span class="dim">${hooks.length} of ${hooksMost}</span>
      <span class="grow" />
      ${
        making
          ? null
          : html`
            <button
              class="btn primary"
              disabled=${hooks.length >= hooksMost || !!store.readOnly.value}
              onClick=${begin}
            >
              <${Icon} name="plus" size=${14} />
              Add a webhook
            </button>
          `
      }
      <p>Events that come to you, signed, at least once; tried again after 10, 60 and 300 seconds.</p>
    </div>
    ${making ? html`<${Create} types=${types} close=${() => make(false)} />` : null}
    <section class="card"><${Hooks} hooks=${hooks} /></section>
    ${all.length ? html`<${Deliveries} list=${all} act=${() => {}} />` : null}
  `;
}
