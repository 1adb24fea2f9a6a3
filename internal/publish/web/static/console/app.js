// The console: one document, its frame, and pages that are loaded when they
// are wanted. The frame is not in a file of its own, since each file that the
// first page needs is one more request before anything is seen.
import { render, signal, effect, useState } from '../vendor/preact.js';
import { html, Icon, Mark, toast, say, copy } from '../lib/html.js';
import { path, finding, helping, listen, sharing } from '../lib/navigate.js';
import { session, canShare, linked, reviewing, forkOf, madeOf, theme, themes } from '../lib/session.js';
import { Refusal } from '../lib/api.js';
import { clock, day } from '../lib/format.js';
import * as store from '../lib/store.js';
import { Problem, Skeleton, bridgeNow } from './parts.js';

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
  ['world', 'records', 'World', 'radio', 'Company', 'world'],
  ['missions', 'missions', 'Missions', 'list-checks', 'Integrate'],
  ['webhooks', 'webhooks', 'Webhooks', 'webhook', 'Integrate'],
  ['requests', 'requests', 'Requests', 'scroll-text', 'Integrate'],
  ['faults', 'faults', 'Faults', 'zap', 'Integrate'],
  ['checkpoints', 'forks', 'Checkpoints', 'git-compare', 'Integrate'],
  ['connect', 'connect', 'Connect', 'plug', 'Integrate'],
  ['keys', 'keys', 'Keys', 'key-round', 'Sandbox'],
  ['session', 'session', 'Session', 'clock', 'Sandbox'],
];

// notForReviewers are pages of which each part needs a key.
const notForReviewers = ['keys', 'faults', 'checkpoints'];

const loadedPages = new Map();
// missing are the modules that did not load. A page that has loaded stays.
const missing = signal(new Set());
const arrived = signal(0);
function load(module) {
  if (loadedPages.has(module)) return loadedPages.get(module);
  loadedPages.set(module, null);
  import(`./${module}.js`).then(
    m => {
      loadedPages.set(module, m.Page);
      arrived.value++;
    },
    () => {
      missing.value = new Set([...missing.value, module]);
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
    bridge: () => bridgeNow()?.gaps || '',
  })[name]?.() ?? '';

function Link({ page: [slug, , title, icon, , system], current }) {
  return html`
    <li>
      <a
        class=${system}
        href=${slug ? `${base}/${slug}` : base}
        aria-current=${current === slug ? 'page' : undefined}
      >
        <${Icon} name=${icon} />
        ${title}
        <span class=${`count ${slug === 'bridge' ? 'c-amber' : ''}`}>${openCount(slug)}</span>
      </a>
    </li>
  `;
}

function Keyboard() {
  const show = e => {
    e.preventDefault();
    helping.value = true;
  };
  return html`
    <a href="#keys" onClick=${show}><${Icon} name="keyboard" />Keyboard<span class="count"><kbd>?</kbd></span></a>
  `;
}

function Side({ current }) {
  const groups = [...new Set(pages.map(p => p[4]))];
  const close = () => {
    menu.value = false;
  };
  return html`
    <nav class="side" id="side" aria-label="Console" data-open=${menu.value}>
      <a class="brand" href="/"><${Mark} />Platen</a>
      ${groups.map(g => {
        const links = pages
          .filter(p => p[4] === g && !(reviewing() && notForReviewers.includes(p[0])))
          .map(p => html`<${Link} page=${p} current=${current} />`);
        return html`<div><h2>${g}</h2><ul>${links}</ul></div>`;
      })}
      <div class="low">
        <ul>
          <li><a href="/docs/"><${Icon} name="book-open" />Docs</a></li>
          <li><${Keyboard} /></li>
        </ul>
        <${Theme} />
      </div>
    </nav>
    ${menu.value ? html`<button class="scrim" aria-label="Close the menu" onClick=${close} />` : null}
  `;
}

const Theme = () => html`
  <div class="seg" role="radiogroup" aria-label="Theme">
    ${themes.map(([name, icon, label]) => {
      const choose = () => {
        theme.value = name;
      };
      return html`
        <button type="button" role="radio" aria-checked=${theme.value === name} title=${label} onClick=${choose}>
          <${Icon} name=${icon} size=${14} label=${label} />
        </button>
      `;
    })}
  </div>
`;

const linkWords = {
  live: ['ok', 'Live'],
  connecting: ['calm', 'Connecting'],
  reconnecting: ['warn', 'Reconnecting'],
  limited: ['warn', 'Waiting'],
  offline: ['bad', 'Offline'],
  gone: ['bad', 'Gone'],
  none: ['calm', ''],
  over: ['calm', 'Its time is over'],
};

// Extend is there in the second half of a lease; the page of the session has it at any time.
function Extend({ part }) {
  const [busy, set] = useState(false);
  if (!store.canExtend.value || part > 0.5) return null;
  const act = async () => {
    set(true);
    try {
      await store.extend();
      say(`Extended by ${store.facts.extension}`);
    } catch (e) {
      say(e instanceof Refusal ? e.message : 'Something went wrong');
    }
    set(false);
  };
  return html`
    <button class="btn small" id="extend-soon" disabled=${busy} onClick=${act}>
      <${Icon} name="plus" size=${13} />
      <span>Extend sandbox</span>
    </button>
  `;
}

// outcome says what a tick came to.
const outcome = t => {
  const count = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;
  const waiting = t.digest.decisions_total;
  return `${t.sim_time}: ${count(t.events_written, 'event')}${waiting ? `, ${count(waiting, 'decision')} open` : ''}`;
};

const steps = [
  ['hour', '+1 hour', 'Move the clock by an hour', { minutes: 60 }],
  ['day', '+1 day', 'Move the clock by a working day', { minutes: 480 }],
  [
    'decision',
    html`<span>Next<span class="hide-s"> decision</span></span>`,
    'Move the clock to the next order, bill, truck or idle press that waits for you',
    { until: { decision: true } },
  ],
];

// ClockControls move the clock of the company. They are requests of this sandbox
// like any other, so the first of them starts a clock that waits.
function ClockControls() {
  const [busy, set] = useState(false);
  const s = store.status.value;
  if (!s) return null;
  const off = busy || store.readOnly.value !== '';
  const runs = s.clock.mode === 'realtime' && !s.clock.waiting;
  const act = work => async () => {
    set(true);
    try {
      say(await work());
    } catch (e) {
      say(e instanceof Refusal ? e.message : 'Something went wrong');
    }
    set(false);
  };
  const flip = act(async () => {
    await store.setClock(runs ? 'manual' : 'realtime');
    return runs ? 'The clock is paused' : 'The clock runs';
  });
  return html`
    <span class="clock-controls" role="group" aria-label="The clock of the company">
      ${
        s.evaluation
          ? null
          : html`
            <button class="btn small" id="clock-mode" disabled=${off} onClick=${flip}>
              <${Icon} name=${runs ? 'pause' : 'play'} size=${13} />
              <span>${runs ? 'Pause' : 'Run'}</span>
            </button>
          `
      }
      ${
        s.clock.waiting
          ? html`<span class="dim" id="clock-waits">
              ${
                s.clock.day_number
                  ? 'Paused while you were away: continues with your next request'
                  : 'The clock starts with your first request'
              }
            </span>`
          : steps.map(
              ([name, text, title, body]) => html`
              <button
                class="btn small"
                id=${`clock-${name}`}
                title=${title}
                disabled=${off}
                onClick=${act(async () => outcome(await store.tick(body)))}
              >
                ${text}
              </button>
            `,
            )
      }
    </span>
  `;
}

function Burger() {
  const flip = () => {
    menu.value = !menu.value;
  };
  return html`
    <button
      class="btn plain burger"
      aria-label="Menu"
      aria-expanded=${menu.value}
      aria-controls="side"
      onClick=${flip}
    >
      <${Icon} name="menu" size=${18} />
    </button>
  `;
}

function Who() {
  const id = session.value?.sandbox_id;
  const made = madeOf(session.value);
  return html`
    <div class="who">
      <b>${store.status.value?.public_name ?? session.value?.public_name ?? 'Sandbox'}</b>
      ${
        id
          ? html`
            <button class="id" onClick=${() => copy(id, 'Sandbox id')}>
              <code>${id}</code>
              <${Icon} name="copy" size=${12} />
              <span class="vh">copy the sandbox id</span>
            </button>
          `
          : null
      }
      ${
        made
          ? html`
            <a class="pill sandbox hide-s" id="is-fork" href="/console/session" title=${made}>
              <span>${forkOf(session.value)}</span>
            </a>
          `
          : null
      }
    </div>
  `;
}

function Top() {
  const s = store.status.value;
  const p = store.present.value;
  const left = store.left.value;
  const [tone, word] = linkWords[store.ended.value === 'expired' ? 'over' : store.link.value.state];
  const whole = s ? (Date.parse(s.expires_at) - Date.parse(s.created_at)) / 1000 : 1;
  const part = left === null ? 1 : Math.min(1, left / whole);
  const low = left !== null && left <= store.lowSeconds;
  return html`
    <header class="top">
      <${Burger} />
      <${Who} />
      <span class=${`link ${tone}`} role="status"><i class="dot" /><span class="word">${word}</span></span>
      <span class="grow" />
      <${Find} />
      <${Share} />
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
      <${ClockControls} />
      <span class="left" data-low=${low} title="Wall time left">
        <${Icon} name="clock" size=${14} />
        <span class="vh">time left</span>
        ${clock(left)}
      </span>
      <${Extend} part=${part} />
      <div class="life" data-low=${low} aria-hidden="true">
        <i style=${{ transform: `scaleX(${part})` }} />
      </div>
    </header>
  `;
}

const readOnlyWords = {
  review: ['calm', 'lock', 'Read-only view of both systems.'],
  expired: [
    'warn',
    'lock',
    `The time of this sandbox is over. It can be read for ${store.facts.grace} from its end; ` +
      'writes fail with 423 sandbox_expired.',
  ],
  bankrupt: [
    'bad',
    'circle-x',
    'The company is bankrupt. You can read it until it expires. Writes fail with 423 sandbox_bankrupt.',
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
        `${l.refusal?.message} ${l.refusal?.hint} The next try is in ${wait} s; your program is not affected.`,
      ],
      offline: [
        'bad',
        'cloud-off',
        'You are offline. The page shows the last known state, and continues once you are online.',
      ],
      reconnecting: [
        'warn',
        'unplug',
        `The server does not respond. Trying again in ${wait} s; the page shows the last known state.`,
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
      ${store.ended.value ? html`<a class="btn small" href="/" onClick=${() => store.forget()}>New sandbox</a>` : null}
    </div>
  `;
}

const chord = /Mac|iP/.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

// Find is the button of the palette, which is loaded when it is first wanted.
function Find() {
  const open = () => {
    finding.value = true;
  };
  return html`
    <button class="btn small" id="find" title="Find a record, a page, docs or an action" onClick=${open}>
      <${Icon} name="search" size=${13} />
      <span class="word">Find</span>
      <kbd aria-hidden="true">${chord}</kbd>
    </button>
  `;
}

// Share is the button of the read-only link, of which both keys are needed; its dialog is loaded when it is wanted.
function Share() {
  if (!canShare()) return null;
  const open = () => {
    sharing.value = true;
  };
  return html`
    <button class="btn small" id="share-console" title="Share a read-only link" onClick=${open}>
      <${Icon} name="link" size=${13} />
      <span class="word">Share</span>
    </button>
  `;
}

function Sharing() {
  arrived.value;
  const Page = sharing.value && session.value ? load('share') : null;
  return Page ? html`<${Page} />` : null;
}

function Palette() {
  arrived.value;
  if (!finding.value || !session.value) return null;
  const Page = load('palette');
  return Page ? html`<${Page} pages=${pages} />` : null;
}

// Help is the list of keys, which is loaded when it is wanted.
function Help() {
  arrived.value;
  const Page = helping.value ? load('help') : null;
  return Page ? html`<${Page} chord=${chord} />` : null;
}

// Gone takes the place of a page that can never be filled.
function Gone() {
  const { refusal } = store.link.value;
  return html`
    <div class="card">
      <div class="empty">
        <${Icon} name="circle-x" size=${24} />
        <h1>This sandbox is gone</h1>
        <p>
          It expired and was deleted, or its key was found in a URL and revoked. Its data is gone.
        </p>
        ${refusal?.requestID ? html`<p><code>${refusal.code}</code> <code>${refusal.requestID}</code></p>` : null}
        <div class="row-actions">
          <a class="btn primary" href="/" onClick=${() => store.forget()}>New sandbox</a>
          <button class="btn" onClick=${() => store.forget()}>Other keys</button>
          ${session.value.others?.length ? html`<a class="btn" href="/console/session">Also in this tab</a>` : null}
        </div>
      </div>
    </div>
  `;
}

function Missing() {
  return html`
    <div class="empty">
      <${Icon} name="route" size=${24} />
      <h1>Page not found</h1>
      <p>The console has no page at this address.</p>
      <a class="btn" href="/console">Overview</a>
    </div>
  `;
}

const ForOwners = ({ title }) => html`
  <div class="empty">
    <${Icon} name="lock" size=${24} />
    <h1>${title}</h1>
    <p>A read-only link does not open this page. It takes the keys of the sandbox.</p>
  </div>
`;

function Broken() {
  return html`
    <${Problem}
      refusal=${new Refusal(0, {
        code: 'module_missing',
        message: 'This page could not be loaded.',
        hint: ['reconnecting', 'offline'].includes(store.link.value.state)
          ? 'The server does not respond. Pages that you have opened still work.'
          : 'The server may have been updated. Reload to get the new version.',
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

const Toast = () => html`<div class="toast" role="status" data-on=${!!toast.value}>${toast.value}</div>`;

const slugOf = address => address.slice(base.length).split('/')[1] ?? '';
const pageOf = slug => pages.find(p => p[0] === slug);

// Body is the page of an address, or the reason why there is none.
function Body({ slug }) {
  arrived.value;
  const entry = pageOf(slug);
  const Page = entry && load(entry[1]);
  // Some pages say something of a tab whose sandbox is gone, too.
  const dead = store.link.value.state === 'gone' && !store.loaded.value;
  if (dead && !['keys', 'connect', 'session'].includes(slug)) return html`<${Gone} />`;
  if (!entry) return html`<${Missing} />`;
  if (reviewing() && notForReviewers.includes(slug)) return html`<${ForOwners} title=${entry[2]} />`;
  if (!Page) return missing.value.has(entry[1]) ? html`<${Broken} />` : html`<${Waiting} />`;
  return html`<${Page} system=${entry[5]} key=${slug} rest=${path.value.split('/').slice(3)} />`;
}

// Linked asks about a link with keys, where this tab has others.
function Linked() {
  arrived.value;
  const Page = linked.value && session.value ? load('linked') : null;
  return Page ? html`<${Page} />` : null;
}

function App() {
  arrived.value;
  const slug = slugOf(path.value);
  if (!session.value && slug !== 'connect') {
    const Door = load('door');
    return html`${Door ? html`<${Door} />` : null}<${Toast} />`;
  }
  document.title = `${pageOf(slug)?.[2] ?? 'Console'} · Platen`;
  const body = html`<${Body} slug=${slug} />`;
  // Keys that were never seen are shown with nothing around them.
  if (slug === 'keys' && session.value && !session.value.seen) return html`${body}<${Help} /><${Linked} /><${Toast} />`;
  return html`
    <div class="shell">
      <a class="skip" href="#main">Skip to the content</a>
      <${Side} current=${slug} />
      <div class="page"><${Top} /><${Banner} /><main id="main" tabindex="-1">${body}</main></div>
    </div>
    <${Help} />
    <${Palette} />
    <${Sharing} />
    <${Linked} />
    <${Toast} />
  `;
}

let following = '';
effect(() => {
  const s = session.value;
  const keys = s ? `${s.office_key}${s.factory_key}${s.review}` : '';
  if (keys === following) return;
  following = keys;
  if (keys) {
    store.link.value = { state: 'connecting' };
    queueMicrotask(() => store.connect());
  } else store.disconnect();
});
listen(text => copy(text, 'curl'));
load(session.value ? (pageOf(slugOf(path.value))?.[1] ?? 'overview') : 'door');
render(html`<${App} />`, document.getElementById('root'));
