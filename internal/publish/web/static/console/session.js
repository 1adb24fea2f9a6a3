import { useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { session, reviewing, theme, themes, keyShape, masked } from '../lib/session.js';
import { go } from '../lib/navigate.js';
import { Refusal } from '../lib/api.js';
import * as store from '../lib/store.js';
import { clock, day, number, wallMoment } from '../lib/format.js';
import { End, Origin, Others } from './forks.js';
import { Problem, Skeleton, Status } from './parts.js';

// fixed says why a sandbox cannot be extended now.
function fixed(s, left) {
  if (left <= 0) return 'The sandbox has expired.';
  if (s.evaluation) return 'An evaluation cannot be extended.';
  if (!s.extensions_left) return 'Both extensions are used.';
  return `${s.extensions_left} left. You can extend it in its last ${store.facts.window}.`;
}

function Lease() {
  const s = store.status.value;
  const left = store.left.value;
  const [refusal, refuse] = useState(null);
  if (!s) return html`<section class="card pad-all"><${Skeleton} width="60%" /><${Skeleton} width="100%" /></section>`;
  const whole = (Date.parse(s.expires_at) - Date.parse(s.created_at)) / 1000;
  const act = async () => {
    refuse(null);
    try {
      await store.extend();
      say(`Extended by ${store.facts.extension}`);
    } catch (e) {
      refuse(e instanceof Refusal ? e : new Refusal(0));
    }
  };
  return html`
    <section class="card">
      <div class="card-h"><h2>Time</h2><${Status} is=${store.present.value.status} /></div>
      <div class="pad form">
        <p class="lease">
          <b class="num">${clock(left)}</b>
          <span class="dim">left; it ${left > 0 ? 'ends' : 'ended'} ${wallMoment(s.expires_at)}</span>
        </p>
        <div class=${`bar-track ${left <= store.lowSeconds ? 'warn' : ''}`}>
          <i style=${{ transform: `scaleX(${Math.min(1, left / whole)})` }} />
        </div>
        <p class="dim">
          ${
            left > 0 && !s.evaluation && s.extensions_left
              ? `You can extend it ${s.extensions_left === 1 ? 'once more' : 'twice'}, by ${store.facts.extension}${
                  s.extensions_left === 1 ? '' : ' each time'
                }, in its last ${store.facts.window}. `
              : null
          }
          After it expires, it stays readable for ${store.facts.grace}. Then it is deleted.
        </p>
        ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
        <div class="row-actions">
          <button class="btn primary" id="extend" disabled=${!store.canExtend.value} onClick=${act}>
            <${Icon} name="plus" size=${14} />
            Extend sandbox
          </button>
          <span class="dim">
            ${store.canExtend.value ? `by ${store.facts.extension}; ${s.extensions_left} left` : fixed(s, left)}
          </span>
        </div>
      </div>
    </section>
  `;
}

// Lacking asks for the key that this tab was not given.
function Lacking() {
  const s = session.value;
  const system = s.office_key ? 'factory' : 'office';
  const [text, set] = useState('');
  const prefix = system === 'office' ? 'lab_off_' : 'lab_fac_';
  const key = text.trim();
  const fits = keyShape.test(key) && key.startsWith(prefix);
  const add = e => {
    e.preventDefault();
    session.value = { ...s, [`${system}_key`]: key };
    say('Key added');
  };
  return html`
    <section class="card">
      <div class="card-h"><h2>Add the other key</h2></div>
      <form class="pad form" onSubmit=${add}>
        <p class="dim">Add it to see ${system === 'office' ? 'Head Office' : 'the Factory'} and the bridge.</p>
        <label class="field">
          <span>${system === 'office' ? 'Head Office' : 'Factory'} key</span>
          <input
            autocomplete="off"
            spellcheck="false"
            placeholder=${`${prefix}…`}
            value=${text}
            onInput=${e => set(e.target.value)}
          />
        </label>
        <div class="row-actions"><span class="grow" /><button class="btn primary" disabled=${!fits}>Add</button></div>
      </form>
    </section>
  `;
}

const Facts = ({ s }) => html`
  <dl class="facts pad two">
    <div><dt>Name</dt><dd>${s.public_name}</dd></div>
    <div><dt>Sandbox</dt><dd><code>${s.sandbox_id}</code></dd></div>
    <div>
      <dt>Preset</dt>
      <dd><a href="/docs/presets"><code>${s.preset}</code></a></dd>
    </div>
    <div><dt>Seed</dt><dd class="num"><code>${s.seed ?? 'not shown'}</code></dd></div>
    <div><dt>Bridge</dt><dd>${s.bridge === 'auto' ? 'automatic' : 'manual'}</dd></div>
    <div>
      <dt>Clock</dt>
      <dd>${s.clock.mode === 'manual' ? 'manual' : `real-time, ${s.clock.speed} minutes per second`}</dd>
    </div>
    <div>
      <dt>Day</dt>
      <dd class="num">${day(s.clock.sim_date)}, working day ${number(s.clock.day_number + 1)}</dd>
    </div>
    <div><dt>Events</dt><dd class="num">${number(s.last_seq)}</dd></div>
  </dl>
`;

function Company() {
  const s = store.status.value;
  return html`
    <section class="card">
      <div class="card-h"><h2>Company</h2></div>
      <${Origin} />
      ${
        s
          ? html`<${Facts} s=${s} />`
          : html`<div class="pad-all"><${Skeleton} width="80%" /><${Skeleton} width="70%" /></div>`
      }
    </section>
  `;
}

function Tab() {
  const { office_key, factory_key } = session.value;
  const signOut = () => {
    store.signOut();
    go('/console');
  };
  return html`
    <section class="card">
      <div class="card-h"><h2>This tab</h2></div>
      <div class="pad form">
        <dl class="facts two">
          ${
            reviewing()
              ? html`<div><dt>Reviewer</dt><dd>a link without keys</dd></div>`
              : html`
                <div><dt>Head Office</dt><dd><code>${office_key ? masked(office_key) : 'no key'}</code></dd></div>
                <div><dt>Factory</dt><dd><code>${factory_key ? masked(factory_key) : 'no key'}</code></dd></div>
              `
          }
        </dl>
        <p class="dim">
          New tabs of this browser get the keys from this one. They're gone once you close all of them or sign out.
        </p>
        <div class="row-actions">
          ${
            reviewing()
              ? null
              : html`<a class="btn" href="/console/keys"><${Icon} name="key-round" size=${14} />Show the keys</a>`
          }
          <span class="grow" />
          <button class="btn danger" id="sign-out" onClick=${signOut}>
            <${Icon} name="log-out" size=${14} />
            Sign out
          </button>
        </div>
      </div>
    </section>
  `;
}

function Look() {
  const option = ([name, icon, label]) => {
    const choose = () => {
      theme.value = name;
    };
    return html`
      <button role="radio" aria-checked=${theme.value === name} onClick=${choose}>
        <${Icon} name=${icon} size=${14} />
        ${label}
      </button>
    `;
  };
  return html`
    <section class="card">
      <div class="card-h"><h2>Theme</h2></div>
      <div class="pad form">
        <div class="seg" role="radiogroup" aria-label="Theme of the console">${themes.map(option)}</div>
        <p class="dim">Motion follows the setting of your system.</p>
      </div>
    </section>
  `;
}

export function Page() {
  const { office_key, factory_key } = session.value;
  return html`
    <div class="title">
      <h1>Session</h1>
      <p>Time left, the keys of this tab, the theme, and the end of the sandbox.</p>
    </div>
    <div class="halves">
      <div class="col"><${Lease} /><${Tab} /><${Look} /></div>
      <div class="col">
        <${Company} />
        ${reviewing() ? null : html`<${Others} />`}
        ${reviewing() || (office_key && factory_key) ? null : html`<${Lacking} />`}
        ${reviewing() ? null : html`<${End} />`}
      </div>
    </div>
  `;
}
