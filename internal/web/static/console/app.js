// The console: one document, its frame, and pages that are loaded when they
// are wanted.
import { render, signal, effect, useState } from '../vendor/preact.js';
import { html, Icon, Mark } from '../lib/html.js';
import { path, helping, listen } from '../lib/navigate.js';
import { session, theme } from '../lib/session.js';
import { toast, say, copy } from '../lib/copy.js';
import { Refusal } from '../lib/api.js';
import { clock, day } from '../lib/format.js';
import * as store from '../lib/store.js';
import { Problem, Skeleton } from './parts.js';

const base = '/console';
// pages by the first part of their path: module, title, icon, the group in the
// list of pages and its colour.
const pages = [
  ['', 'overview', 'Overview', 'layout-dashboard', 'Watch'],
  ['bridge', 'bridge', 'Bridge', 'arrow-left-right', 'Watch'],
  ['events', 'events', 'Events', 'activity', 'Watch'],
  ['office', 'records', 'Head Office', 'landmark', 'Company', 'office'],
  ['factory', 'records', 'Factory', 'factory', 'Company', 'factory'],
  ['presses', 'presses', 'Presses', 'printer', 'Company', 'factory'],
  ['missions', 'missions', 'Missions', 'list-checks', 'Integrate'],
  ['webhooks', 'webhooks', 'Webhooks', 'webhook', 'Integrate'],
  ['requests', 'requests', 'Requests', 'scroll-text', 'Integrate'],
  ['connect', 'connect', 'Connect', 'plug', 'Integrate'],
  ['keys', 'keys', 'Keys', 'key-round', 'Sandbox'],
  ['session', 'session', 'Session', 'clock', 'Sandbox'],
];

const loadedPages = new Map();
const missing = signal(null);
const arrived = signal(0);
function load(module) {
  if (loadedPages.has(module)) return loadedPages.get(module);
  loadedPages.set(module, null);
  import(`./${module}.js`).then(
    m => {
      loadedPages.set(module, m.Page);
      arrived.value++;
    },
    error => {
      loadedPages.delete(module);
      missing.value = error;
    },
  );
  return null;
}

const menu = signal(false);
effect(() => {
  path.value;
  menu.value = false;
});

const openCount = name =>
  ({
    missions: () =>
      store.rows('mission').length
        ? `${store.rows('mission').filter(m => m.status === 'completed').length}/${store.rows('mission').length}`
        : '',
    office: () => store.status.value?.counts.orders_open || '',
    factory: () => store.status.value?.counts.work_orders_open || '',
  })[name]?.() ?? '';

function Side({ current }) {
  const groups = [...new Set(pages.map(p => p[4]))];
  return html`
    <nav class="side" id="side" aria-label="Console" data-open=${menu.value}>
      <a class="brand" href="/"><${Mark} />Platen</a>
      ${groups.map(
        g => html`
          <div>
            <h2>${g}</h2>
            <ul>
              ${pages
                .filter(p => p[4] === g)
                .map(
                  ([slug, , title, icon, , system]) => html`
                    <li>
                      <a
                        class=${system}
                        href=${slug ? `${base}/${slug}` : base}
                        aria-current=${current === slug ? 'page' : undefined}
                      >
                        <${Icon} name=${icon} />
                        ${title}
                        <span class="count">${openCount(slug)}</span>
                      </a>
                    </li>
                  `,
                )}
            </ul>
          </div>
        `,
      )}
      <div class="low">
        <ul>
          <li><a href="/docs/"><${Icon} name="book-open" />Docs</a></li>
          <li>
            <a
              href="#keys"
              onClick=${e => {
                e.preventDefault();
                helping.value = true;
              }}
            >
              <${Icon} name="keyboard" />
              Keyboard
              <span class="count"><kbd>?</kbd></span>
            </a>
          </li>
        </ul>
        <${Theme} />
      </div>
    </nav>
    ${
      menu.value
        ? html`
          <button
            class="scrim"
            aria-label="Close the menu"
            onClick=${() => {
              menu.value = false;
            }}
          />
        `
        : null
    }
  `;
}

export const Theme = () => html`
  <div class="seg" role="radiogroup" aria-label="Theme">
    ${[
      ['auto', 'monitor', 'As the system'],
      ['light', 'sun', 'Light'],
      ['dark', 'moon', 'Dark'],
    ].map(
      ([t, icon, label]) => html`
        <button
          type="button"
          role="radio"
          aria-checked=${theme.value === t}
          title=${label}
          onClick=${() => {
            theme.value = t;
          }}
        >
          <${Icon} name=${icon} size=${14} label=${label} />
        </button>
      `,
    )}
  </div>
`;

const linkWords = {
  live: ['ok', 'Live'],
  connecting: ['calm', 'Connecting'],
  reconnecting: ['warn', 'Reconnecting'],
  limited: ['warn', 'Over budget'],
  offline: ['bad', 'Offline'],
  gone: ['bad', 'Gone'],
  none: ['calm', ''],
};

function Extend() {
  const [busy, set] = useState(false);
  const s = store.status.value;
  const can = store.canExtend.value;
  if (!s) return null;
  const reason =
    s.extensions_left === 0
      ? 'Both extensions are used.'
      : can
        ? ''
        : `Opens when ${store.facts.window} remain; ${s.extensions_left} left.`;
  const act = async () => {
    set(true);
    try {
      await store.extend();
      say(`Extended by ${store.facts.extension}`);
    } catch (e) {
      say(e instanceof Refusal ? e.message : 'That did not work');
    }
    set(false);
  };
  return html`
    <span title=${reason} class=${can ? '' : 'hide-s'}>
      <button class="btn small" id="extend" disabled=${!can || busy} onClick=${act}>
        <${Icon} name="plus" size=${13} />
        <span>Extend sandbox</span>
      </button>
    </span>
  `;
}

function Top() {
  const s = store.status.value;
  const p = store.present.value;
  const left = store.left.value;
  const [tone, word] = linkWords[store.link.value.state];
  const whole = s ? (Date.parse(s.expires_at) - Date.parse(s.created_at)) / 1000 : 1;
  const low = left !== null && left <= 600;
  return html`
    <header class="top">
      <button
        class="btn plain burger"
        aria-label="Menu"
        aria-expanded=${menu.value}
        aria-controls="side"
        onClick=${() => {
          menu.value = !menu.value;
        }}
      >
        <${Icon} name="menu" size=${18} />
      </button>
      <div class="who">
        <b>${s?.public_name ?? session.value?.public_name ?? 'Sandbox'}</b>
        ${
          session.value?.sandbox_id
            ? html`
              <button class="id" onClick=${() => copy(session.value.sandbox_id, 'Sandbox id')}>
                <code>${session.value.sandbox_id}</code>
                <${Icon} name="copy" size=${12} />
                <span class="vh">copy the sandbox id</span>
              </button>
            `
            : null
        }
      </div>
      <span class=${`link ${tone}`} role="status"><i class="dot" /><span class="word">${word}</span></span>
      <span class="grow" />
      ${
        p
          ? html`
            <span class="inworld" title="The date and time in the company">
              <${Icon} name="calendar" size=${14} />
              <span class="day">${day(p.sim_date)}</span> <b>${p.sim_time}</b>
            </span>
          `
          : html`<${Skeleton} width="7rem" />`
      }
      <span class="left" data-low=${low} title="Wall time left">
        <${Icon} name="clock" size=${14} />
        <span class="vh">time left</span>
        ${clock(left)}
      </span>
      <${Extend} />
      <div class="life" data-low=${low} aria-hidden="true">
        <i style=${{ transform: `scaleX(${left === null ? 1 : Math.min(1, left / whole)})` }} />
      </div>
    </header>
  `;
}

const readOnlyWords = {
  expired: [
    'warn',
    'lock',
    `The time of this sandbox is over. It can be read for ${store.facts.grace} from its end; ` +
      'writes answer 423 sandbox_expired.',
  ],
  bankrupt: [
    'bad',
    'circle-x',
    'The company is bankrupt. It can be read until its time is over; writes answer 423 sandbox_bankrupt.',
  ],
};

function Banner() {
  const l = store.link.value;
  const wait = l.until ? Math.max(0, Math.ceil((l.until - store.now.value) / 1000)) : 0;
  const say =
    {
      limited: [
        'warn',
        'gauge',
        `This console has spent its budget of requests. It goes on in ${wait} s; your keys are not affected.`,
      ],
      offline: ['bad', 'cloud-off', 'You are offline. What you see is what was last heard; it goes on by itself.'],
      reconnecting: [
        'warn',
        'unplug',
        `The server does not answer. Trying again in ${wait} s; what you see is what was last heard.`,
      ],
      gone: ['bad', 'circle-x', 'This sandbox is gone: it was deleted after its end, or its key was revoked.'],
    }[l.state] ?? readOnlyWords[store.readOnly.value];
  if (!say) return null;
  const [tone, icon, text] = say;
  return html`
    <div class=${`banner ${tone}`} role="status" data-banner=${l.state === 'live' ? store.readOnly.value : l.state}>
      <${Icon} name=${icon} />
      <p>
        ${text}
        ${l.refusal?.requestID ? html` <code class="dim">${l.refusal.code} ${l.refusal.requestID}</code>` : null}
      </p>
      ${
        store.readOnly.value
          ? html`<a class="btn small" href="/" onClick=${() => store.forget()}>New sandbox</a>`
          : null
      }
    </div>
  `;
}

const shortcuts = [
  ['/', 'Filter this page'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['c', 'Copy the row as curl'],
  ['p', 'Hold events still'],
  ['g o', 'Overview'],
  ['g b', 'Bridge'],
  ['g e', 'Events'],
  ['g h', 'Head Office'],
  ['g f', 'Factory'],
  ['g p', 'Presses'],
  ['g m', 'Missions'],
  ['g w', 'Webhooks'],
  ['g r', 'Requests'],
  ['?', 'This list'],
];

function Help() {
  if (!helping.value) return null;
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
          ${shortcuts.map(
            ([k, what]) => html`<div><dt>${k.split(/ +/).map(x => html`<kbd>${x}</kbd>`)}</dt><dd>${what}</dd></div>`,
          )}
        </dl>
      </div>
    </div>
  `;
}

// Gone is what stands in the place of a page that can never be filled.
function Gone() {
  const { refusal } = store.link.value;
  return html`
    <div class="card">
      <div class="empty">
        <${Icon} name="circle-x" size=${24} />
        <h1>This sandbox is gone</h1>
        <p>
          It was deleted after its end, or its key was revoked because it stood in an address. Nothing of it is kept.
        </p>
        ${refusal?.requestID ? html`<p><code>${refusal.code}</code> <code>${refusal.requestID}</code></p>` : null}
        <div class="row-actions">
          <a class="btn primary" href="/" onClick=${() => store.forget()}>New sandbox</a>
          <button class="btn" onClick=${() => store.forget()}>Other keys</button>
        </div>
      </div>
    </div>
  `;
}

function Missing() {
  return html`
    <div class="empty">
      <${Icon} name="route" size=${24} />
      <h1>There is no such page</h1>
      <p>The console has no page at this address.</p>
      <a class="btn" href="/console">Overview</a>
    </div>
  `;
}

function Broken() {
  return html`
    <${Problem}
      refusal=${new Refusal(0, {
        code: 'module_missing',
        message: 'This page could not be loaded.',
        hint: 'The server may have been updated. Loading the document again brings the new one.',
      })}
      retry=${() => location.reload()}
    />
  `;
}

const Waiting = () => html`
  <div class="card pad-all" role="status" aria-label="Loading">
    ${['35%', '80%', '65%', '72%'].map(w => html`<p><${Skeleton} width=${w} /></p>`)}
  </div>
`;

function App() {
  arrived.value;
  const slug = path.value.slice(base.length).split('/')[1] ?? '';
  const entry = pages.find(p => p[0] === slug);
  if (!session.value && slug !== 'connect') {
    const Door = load('door');
    return html`
      ${Door ? html`<${Door} />` : null}
      <div class="toast" role="status" data-on=${!!toast.value}>${toast.value}</div>
    `;
  }
  const bare = slug === 'keys' && session.value && !session.value.seen;
  const Page = entry && load(entry[1]);
  document.title = `${entry?.[2] ?? 'Console'} · Platen`;
  const dead =
    store.link.value.state === 'gone' && !store.loaded.value && !['keys', 'connect', 'session'].includes(slug);
  const body = dead
    ? html`<${Gone} />`
    : !entry
      ? html`<${Missing} />`
      : missing.value
        ? html`<${Broken} />`
        : Page
          ? html`<${Page} system=${entry[5]} key=${slug} rest=${path.value.split('/').slice(3)} />`
          : html`<${Waiting} />`;
  return html`
    ${
      bare
        ? body
        : html`
          <div class="shell">
            <a class="skip" href="#main">Skip to the content</a>
            <${Side} current=${slug} />
            <div class="page"><${Top} /><${Banner} /><main id="main" tabindex="-1">${body}</main></div>
          </div>
        `
    }
    <${Help} />
    <div class="toast" role="status" data-on=${!!toast.value}>${toast.value}</div>
  `;
}

let following = '';
effect(() => {
  const s = session.value;
  const keys = s ? `${s.office_key}${s.factory_key}` : '';
  if (keys === following) return;
  following = keys;
  if (keys) {
    store.link.value = { state: 'connecting' };
    queueMicrotask(() => store.connect());
  } else store.disconnect();
});
listen(text => copy(text, 'curl'));
load(
  session.value
    ? (pages.find(p => p[0] === (path.value.slice(base.length).split('/')[1] ?? ''))?.[1] ?? 'overview')
    : 'door',
);
render(html`<${App} />`, document.getElementById('root'));
