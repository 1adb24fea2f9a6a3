// The bridge: what Head Office knows on the left, what the Factory knows on the
// right, and a line wherever a record names another. It is joined here, in the browser, since it takes
// both keys.
import { signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { keyFor, session } from '../lib/session.js';
import * as store from '../lib/store.js';
import { day, number, workingAge } from '../lib/format.js';
import { languages, snippet } from '../lib/snippets.js';
import { Score } from './score.js';
import { Code, Empty, Skeleton, Status, curl } from './parts.js';
import { strands, handoffs } from './joins.js';

const chosen = signal('all');
const onlyGaps = signal(false);
const showDone = signal(false);

// opened are the gaps whose requests are shown, and language the one that they are written in.
const opened = signal(new Set());
const language = signal('curl');

// age is how many working days of the company a gap is old.
const age = on => workingAge(on, store.present.value?.sim_date);

// Foot is the last line of a slip, with a date in red that has passed too early.
const Foot = ({ of: { foot, late } }) => {
  const at = late ? foot.search(/\b(?:due|needed|at the gate) /) : -1;
  if (at < 0) return html`<span class="slip-f">${foot}</span>`;
  return html`<span class="slip-f">
    ${foot.slice(0, at)}<b class="c-red">${foot.slice(at)}<span class="vh"> overdue</span></b>
  </span>`;
};

function Card({ side, record, ghost }) {
  if (!record) return html`<div class=${`slip ${side} ghost ${ghost ? '' : 'none'}`}><span>${ghost}</span></div>`;
  return html`
    <a
      class=${`slip ${side}`}
      data-row
      href=${`/console/${side}/${record.list}/${record.id}`}
      data-curl=${curl(`/${side}/${record.list}/${record.id}`, side)}
    >
      <span class="slip-h">
        <code>${record.name}</code>
        <${Status} is=${record.status} late=${record.late && record.list === 'deliveries'} />
      </span>
      <span class="slip-b">
        <span class="slip-t">${record.title}</span>
        ${record.foot ? html`<${Foot} of=${record} />` : null}
      </span>
      ${
        record.part != null
          ? html`<span class="bar-track"><i style=${{ transform: `scaleX(${record.part})` }} /></span>`
          : null
      }
    </a>
  `;
}

// The text of a line, by its state: joined, a gap with its age, something that is not due yet, or a
// name that leads nowhere.
const wordings = {
  gap: ({ label, on, request }, own) => {
    const flip = () => {
      const next = new Set(opened.value);
      if (!next.delete(own)) next.add(own);
      opened.value = next;
    };
    const text = html`
      <${Icon} name="link-2-off" size=${13} />
      <b class="num">${age(on)}</b>
      <span>${label}</span>
    `;
    if (!request) return html`<span class="age">${text}</span>`;
    return html`
      <button class="age" aria-expanded=${opened.value.has(own)} data-row onClick=${flip}>
        ${text}
        <${Icon} name="chevron-right" size=${12} />
        <span class="vh">: the request that closes it</span>
      </button>
    `;
  },
  broken: ({ label }) => html`
    <span class="age"><${Icon} name="triangle-alert" size=${13} /><span>${label}</span></span>
  `,
  joined: ({ way, label }) => html`
    <span class="name"><${Icon} name=${way === 'right' ? 'arrow-right' : 'arrow-left'} size=${12} />${label}</span>
  `,
  later: ({ label }) => html`<span class="name faint">${label}</span>`,
};

const Line = ({ join, own }) => html`
  <div class=${`line ${join.state}`} title=${join.on ? `${join.label} since ${day(join.on)}` : join.label}>
    <i class="wire" aria-hidden="true" />
    ${wordings[join.state](join, own)}
  </div>
`;

// Closing is the request that closes a gap, in the language that was chosen last.
function Closing({ request }) {
  const { method, path, system } = request;
  return html`
    <div class="closing">
      <div class="closing-h">
        <span>
          Close it: <code>${method} ${path}</code> with the key of
          ${system === 'office' ? ' Head Office' : ' the Factory'}
        </span>
        <span class="grow" />
        <div class="seg" role="group" aria-label="Language">
          ${languages.map(([id, name]) => {
            const choose = () => {
              language.value = id;
            };
            return html`<button aria-pressed=${language.value === id} onClick=${choose}>${name}</button>`;
          })}
        </div>
      </div>
      <${Code} what="the request that closes the gap" text=${snippet(language.value, request)} />
    </div>
  `;
}

const Rung = ({ r, own }) => html`
  <div class="rung">
    <${Card} side="office" record=${r.office} ghost=${r.officeGhost} />
    <${Line} join=${r.join} own=${own} />
    <${Card} side="factory" record=${r.factory} ghost=${r.factoryGhost} />
  </div>
  ${r.join.request && opened.value.has(own) ? html`<${Closing} request=${r.join.request} />` : null}
`;

const Strand = ({ s }) => html`
  <li class=${`strand ${s.gaps ? 'open' : ''}`}>
    <div class="strand-h"><b>${s.title}</b><span class="dim">${s.subtitle}</span></div>
    ${s.rungs.map((r, i) => html`<${Rung} key=${i} r=${r} own=${`${s.key}-${i}`} />`)}
  </li>
`;

const ageInWords = on => (age(on) === 'today' ? 'today' : `${age(on).replace(' day', ' working day')} old`);

const Figure = ({ n }) => html`<b class=${n ? '' : 'zero'}>${number(n)}</b>`;

function Summary({ all }) {
  const gaps = all.flatMap(s => s.rungs.filter(r => r.join.state === 'gap'));
  const lost = all.reduce((n, s) => n + s.lost, 0);
  const [oldest] = gaps.flatMap(r => r.join.on ?? []).sort();
  const joined = all.flatMap(s => s.rungs).filter(r => r.join.state === 'joined').length;
  return html`
    <section class="span" aria-label="The bridge now">
      <div class="bank office">
        <span class="dim">Head Office</span>
        <${Figure} n=${store.status.value.counts.orders_open} />
        <span>orders open</span>
      </div>
      <div class=${`deck ${gaps.length ? 'warn' : 'ok'}`}>
        <i class="wire" aria-hidden="true" />
        ${
          gaps.length
            ? html`<div><b class="num">${gaps.length}</b><span>${gaps.length === 1 ? 'gap' : 'gaps'}</span></div>`
            : html`<div class="none"><${Icon} name="circle-check" size=${15} />No gaps</div>`
        }
        <p>
          ${
            gaps.length
              ? html`
                the oldest since <b class="num">${day(oldest)}</b>, ${ageInWords(oldest)}
              `
              : html`
                <b class="num">${joined}</b> ${joined === 1 ? 'record matches' : 'records match'} on both sides
              `
          }
          ${lost ? html`; <b class="num c-red">${lost}</b> too late to close` : null}
        </p>
      </div>
      <div class="bank factory">
        <span class="dim">Factory</span>
        <${Figure} n=${store.status.value.counts.work_orders_open} />
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
          This tab has no key for ${lacking}. Each system shows only its own records, so the console needs both keys to
          join them.
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

const byHand = () => store.status.value?.bridge !== 'auto';

const Title = () => html`
  <div class="title">
    <h1>Bridge</h1>
    ${
      store.status.value
        ? html`<span class=${`pill ${byHand() ? 'warn' : 'calm'}`}>${byHand() ? 'manual' : 'automatic'}</span>`
        : null
    }
    <p>
      ${
        byHand()
          ? 'With a manual bridge, your program carries these records. Open a gap (amber) to see the request that ' +
            "closes it. You can't close a gap here: your program has to send the request."
          : 'Platen carries these records immediately. Create a sandbox with a manual bridge to have your program ' +
            'carry them.'
      }
    </p>
  </div>
`;

const Chip = ({ on, flip, children }) => html`
  <button class="chip bare" aria-pressed=${on} onClick=${flip}>${children}</button>
`;

// Choice is which strands are shown: those of a kind, with the number of theirs
// that have a gap, and of those all or the ones with a gap.
function Choice({ all }) {
  const kind = (id, name, count) => {
    const choose = () => {
      chosen.value = id;
    };
    return html`<${Chip} on=${chosen.value === id} flip=${choose}>${name}${count}<//>`;
  };
  const gaps = id => all.filter(s => s.kind === id && s.gaps).length || '';
  const flip = () => {
    onlyGaps.value = !onlyGaps.value;
  };
  return html`
    <div class="chips kinds">
      ${kind('all', 'All')}
      ${handoffs.map(([id, name]) => kind(id, name, html`<span class="n">${gaps(id)}</span>`))}
      <span class="grow" />
      <${Chip} on=${onlyGaps.value} flip=${flip}>Only gaps<//>
    </div>
  `;
}

function Nothing() {
  if (onlyGaps.value)
    return html`
      <${Empty} icon="circle-check" title="No gaps"><p>Every record has reached the other system.</p><//>
    `;
  if (chosen.value !== 'all')
    return html`
      <${Empty} icon="circle-check" title="Nothing of this kind yet">
        <p>Records appear here once a system has one.</p>
      <//>
    `;
  return html`
    <${Empty} icon="arrow-left-right" title="Nothing to carry yet">
      <p>Accept an order. Then carry it to the Factory.</p>
      <${Code} what="list the orders" text=${curl('/office/sales-orders?status=received')} />
    <//>
  `;
}

// Finished opens and closes the strands in which nothing will move any more.
function Finished({ count }) {
  const flip = () => {
    showDone.value = !showDone.value;
  };
  return html`
    <button class="btn plain" aria-expanded=${showDone.value} onClick=${flip}>
      <${Icon} name="circle-check" size=${14} />
      ${showDone.value ? 'Hide closed' : `${count} closed`}
    </button>
  `;
}

function Strands({ all }) {
  const wanted = all.filter(s => (chosen.value === 'all' || s.kind === chosen.value) && (!onlyGaps.value || s.gaps));
  const shown = wanted.filter(s => !s.done || showDone.value);
  const hidden = wanted.length - shown.length;
  return html`
    ${
      wanted.length
        ? html`<ol class="strands">${shown.map(s => html`<${Strand} key=${s.key} s=${s} />`)}</ol>`
        : html`<div class="card"><${Nothing} /></div>`
    }
    ${hidden || showDone.value ? html`<${Finished} count=${hidden} />` : null}
  `;
}

export function Page() {
  if (!keyFor('office') || !keyFor('factory')) return html`<div class="title"><h1>Bridge</h1></div><${Lacking} />`;
  const ready = store.loaded.value;
  const all = ready ? strands() : [];
  return html`
    <${Title} />
    ${ready ? html`<${Summary} all=${all} /><${Score} />` : null}
    <${Choice} all=${all} />
    <div class="banks" aria-hidden="true"><b class="c-office">Head Office</b><b class="c-factory">Factory</b></div>
    ${ready ? html`<${Strands} all=${all} />` : html`<${Loading} />`}
  `;
}
