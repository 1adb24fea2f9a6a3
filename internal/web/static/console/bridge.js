// The bridge: what Head Office knows on the left, what the Factory knows on the
// right, and a line wherever a record names another. Nobody but the holder of
// both keys can see this: it is joined here, in the browser.
import { signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { session } from '../lib/session.js';
import * as store from '../lib/store.js';
import { day, number, span } from '../lib/format.js';
import { Code, Empty, Skeleton, Status, curl } from './parts.js';
import { strands, handoffs } from './joins.js';

const chosen = signal('all');
const onlyGaps = signal(false);
const showDone = signal(false);

const age = at => Math.max(0, (store.serverNow.value - Date.parse(at)) / 1000);

function Card({ side, record, ghost }) {
  if (!record) return html`<div class=${`slip ${side} ghost ${ghost ? '' : 'none'}`}><span>${ghost}</span></div>`;
  return html`
    <a
      class=${`slip ${side}`}
      data-row
      href=${`/console/${side}/${record.list}/${record.id}`}
      data-curl=${curl(`/${side}/${record.list}/${record.id}`, side)}
    >
      <span class="slip-h"><code>${record.name}</code><${Status} is=${record.status} /></span>
      <span class="slip-t">${record.title}</span>
      ${record.foot ? html`<span class="slip-f">${record.foot}</span>` : null}
      ${
        record.part != null
          ? html`<span class="bar-track"><i style=${{ transform: `scaleX(${record.part})` }} /></span>`
          : null
      }
    </a>
  `;
}

// Line is what stands between the two: joined, a gap with its age, something
// that is not due yet, or a name that leads nowhere.
function Line({ join }) {
  const { state, way, label, since, on } = join;
  const old = state === 'gap' && since ? span(age(since)) : '';
  return html`
    <div class=${`line ${state}`} title=${on ? `${label} since ${day(on)}` : label}>
      <i class="wire" aria-hidden="true" />
      ${
        state === 'gap'
          ? html`
            <span class="age">
              <${Icon} name="link-2-off" size=${13} />
              <b class="num">${old}</b>
              <span>${label}</span>
              <span class="on">${day(on)}</span>
            </span>
          `
          : state === 'broken'
            ? html`<span class="age"><${Icon} name="triangle-alert" size=${13} /><span>${label}</span></span>`
            : state === 'joined'
              ? html`
                <span class="name">
                  <${Icon} name=${way === 'right' ? 'arrow-right' : 'arrow-left'} size=${12} />
                  ${label}
                </span>
              `
              : html`<span class="name faint">${label}</span>`
      }
    </div>
  `;
}

const Strand = ({ s }) => html`
  <li class=${`strand ${s.gaps ? 'open' : ''}`}>
    <div class="strand-h"><b>${s.title}</b><span class="dim">${s.subtitle}</span></div>
    ${s.rungs.map(
      r => html`
        <div class="rung">
          <${Card} side="office" record=${r.office} ghost=${r.officeGhost} />
          <${Line} join=${r.join} />
          <${Card} side="factory" record=${r.factory} ghost=${r.factoryGhost} />
        </div>
      `,
    )}
  </li>
`;

function Summary({ all }) {
  const gaps = all.flatMap(s => s.rungs.filter(r => r.join.state === 'gap' || r.join.state === 'broken'));
  const oldest = gaps.filter(r => r.join.since).sort((a, b) => (a.join.since < b.join.since ? -1 : 1))[0];
  const joined = all.flatMap(s => s.rungs).filter(r => r.join.state === 'joined').length;
  return html`
    <section class="span" aria-label="The bridge now">
      <div class="bank office">
        <span class="dim">Head Office</span>
        <b>${number(store.status.value.counts.orders_open)}</b>
        <span>orders open</span>
      </div>
      <div class=${`deck ${gaps.length ? 'warn' : 'ok'}`}>
        <i class="wire" aria-hidden="true" />
        <div><b class="num">${gaps.length}</b><span>${gaps.length === 1 ? 'gap' : 'gaps'}</span></div>
        <p>
          ${
            gaps.length
              ? html`
                the oldest is <b class="num">${span(age(oldest?.join.since ?? new Date().toISOString()))}</b> old
              `
              : html`
                <b class="num">${joined}</b> ${joined === 1 ? 'record is' : 'records are'} joined, none is waiting
              `
          }
        </p>
      </div>
      <div class="bank factory">
        <span class="dim">Factory</span>
        <b>${number(store.status.value.counts.work_orders_open)}</b>
        <span>work orders open</span>
      </div>
    </section>
  `;
}

function Lacking() {
  const lacking = session.value.office_key ? 'Factory' : 'Head Office';
  return html`
    <div class="card">
      <${Empty} icon="key-round" title="The bridge needs both keys">
        <p>
          This tab was not given the key of ${lacking}. Neither system shows what the other knows, so there is nothing
          to join.
        </p>
        <a class="btn" href="/console/session">Session</a>
      <//>
    </div>
  `;
}

function Loading() {
  return html`
    <ol class="strands" aria-label="Loading">
      ${[1, 2, 3].map(
        () => html`
          <li class="strand">
            <div class="strand-h"><${Skeleton} width="12rem" /></div>
            <div class="rung">
              <div class="slip office ghost"><${Skeleton} width="60%" /></div>
              <div class="line later" />
              <div class="slip factory ghost"><${Skeleton} width="60%" /></div>
            </div>
          </li>
        `,
      )}
    </ol>
  `;
}

export function Page() {
  if (!session.value.office_key || !session.value.factory_key)
    return html`<div class="title"><h1>Bridge</h1></div><${Lacking} />`;
  const ready = store.loaded.value;
  const all = ready ? strands() : [];
  const mode = store.status.value?.bridge;
  const kinds = handoffs.map(([id, name]) => [id, name, all.filter(s => s.kind === id)]);
  const wanted = all.filter(s => (chosen.value === 'all' || s.kind === chosen.value) && (!onlyGaps.value || s.gaps));
  const shown = wanted.filter(s => !s.done || showDone.value);
  const done = wanted.length - shown.length;
  return html`
    <div class="title">
      <h1>Bridge</h1>
      ${
        mode
          ? html`
            <span class=${`pill ${mode === 'auto' ? 'calm' : 'warn'}`}>
              ${mode === 'auto' ? 'automatic' : 'by hand'}
            </span>
          `
          : null
      }
      <p>
        ${
          mode === 'auto'
            ? 'Platen carries records across in the same moment. Made with the bridge by hand, a company ' +
              'leaves each of these lines to your program.'
            : 'Nothing crosses by itself. Each amber gap is a record that your program has not carried yet.'
        }
      </p>
    </div>
    ${ready ? html`<${Summary} all=${all} />` : null}
    <div class="chips kinds">
      <button
        class="chip bare"
        aria-pressed=${chosen.value === 'all'}
        onClick=${() => {
          chosen.value = 'all';
        }}
      >
        All
      </button>
      ${kinds.map(
        ([id, name, list]) => html`
          <button
            class="chip bare"
            aria-pressed=${chosen.value === id}
            onClick=${() => {
              chosen.value = id;
            }}
          >
            ${name}
            <span class="n">${list.filter(s => s.gaps).length || ''}</span>
          </button>
        `,
      )}
      <span class="grow" />
      <button
        class="chip bare"
        aria-pressed=${onlyGaps.value}
        onClick=${() => {
          onlyGaps.value = !onlyGaps.value;
        }}
      >
        Only gaps
      </button>
    </div>
    <div class="banks" aria-hidden="true"><b class="c-office">Head Office</b><b class="c-factory">Factory</b></div>
    ${
      !ready
        ? html`<${Loading} />`
        : !wanted.length
          ? html`
            <div class="card">
              ${
                onlyGaps.value || chosen.value !== 'all'
                  ? html`
                    <${Empty} icon="circle-check" title=${onlyGaps.value ? 'No gaps' : 'Nothing of this kind yet'}>
                      <p>
                        ${
                          onlyGaps.value
                            ? 'Everything that should be on the other side is there.'
                            : 'It appears as soon as one side has a record.'
                        }
                      </p>
                    <//>
                  `
                  : html`
                    <${Empty} icon="arrow-left-right" title="Nothing to carry yet">
                      <p>Accept an order, and it belongs on both sides.</p>
                      <${Code} what="list the orders" text=${curl('/office/sales-orders?status=received')} />
                    <//>
                  `
              }
            </div>
          `
          : html`<ol class="strands">${shown.map(s => html`<${Strand} key=${s.key} s=${s} />`)}</ol>`
    }
    ${
      done || showDone.value
        ? html`
          <button
            class="btn plain"
            aria-expanded=${showDone.value}
            onClick=${() => {
              showDone.value = !showDone.value;
            }}
          >
            <${Icon} name="circle-check" size=${14} />
            ${showDone.value ? 'Hide what is finished' : `${done} finished`}
          </button>
        `
        : null
    }
  `;
}
