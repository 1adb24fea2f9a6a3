// Press lanes: what each press prints, against the working hours of the company.
import { signal, useEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { keyFor } from '../lib/session.js';
import { worksOf } from '../lib/navigate.js';
import * as store from '../lib/store.js';
import { day, number, plain, words, workingDay } from '../lib/format.js';
import { Mend, useNeeds } from './needs.js';
import { Empty, Rest, Skeleton, Status, Table } from './parts.js';

// A narrow window shows fewer days, so that runs keep their names.
// runsMost is how many runs are shown, and how much work that waits for one.
const runsMost = 12;

const shownDays = signal(matchMedia('(max-width: 600px)').matches ? 2 : 5);
const dayLength = 480;
const opens = 8 * 60;

const minuteOf = sim => {
  const [date, time] = sim.split('T');
  const [h, m] = time.split(':').map(Number);
  return workingDay(date) * dayLength + Math.max(0, Math.min(dayLength, h * 60 + m - opens));
};
const dateOf = n => new Date((Math.floor(n / 5) * 7 + (n % 5) - 3) * 86400000).toISOString().slice(0, 10);

const ended = r => r.completed_sim ?? r.ends_sim;
const jobsOf = r =>
  worksOf(r)
    .map(id => store.row('work_order', id))
    .filter(Boolean);
const labelOf = r =>
  jobsOf(r)
    .map(work => `${number(work.quantity)} × ${work.product_name}`)
    .join(' + ') || r.id;
const percent = n => `${n}%`;

// Run is a print run on its lane, which shows the minutes of a span.
function Run({ r, span }) {
  const start = minuteOf(r.started_sim);
  const end = minuteOf(ended(r));
  if (end <= span.from) return null;
  const left = Math.max(0, span.place(start));
  const width = Math.max(0.6, span.place(end) - left);
  const [began, ends] = [r.started_sim, ended(r)].map(sim => sim.replace('T', ' '));
  const label = labelOf(r);
  const done = Math.max(0, Math.min(1, (span.at - start) / (end - start)));
  return html`
    <a
      class=${`run ${r.status}`}
      data-row
      href=${`/console/factory/print-runs/${r.id}`}
      style=${{ left: percent(left), width: percent(width) }}
      title=${`${label}: ${began} to ${ends}, ${number(r.sheets_planned)} sheets`}
    >
      ${r.status === 'running' ? html`<i style=${{ transform: `scaleX(${done})` }} />` : null}
      <span class="long">${label}</span>
      <span class="brief num">${jobsOf(r)
        .map(work => number(work.quantity))
        .join('+')}</span>
    </a>
  `;
}

// Down is how long a press is still out of order.
function Down({ until, span }) {
  const left = span.place(span.at);
  const width = Math.max(1, span.place(minuteOf(until)) - left);
  return html`<span class="run down" style=${{ left: percent(left), width: percent(width) }}><span>down</span></span>`;
}

function Lane({ press, runs, span }) {
  const { from, at } = span;
  const minutes = r => Math.max(0, Math.min(at, minuteOf(ended(r))) - Math.max(from, minuteOf(r.started_sim)));
  const used = runs.reduce((n, r) => n + minutes(r), 0);
  const share = Math.round((100 * used) / Math.max(1, at - from));
  return html`
    <div class="lane">
      <div class="lane-n">
        <b>${press.name}</b>
        <${Status} is=${press.status} />
        <span class="dim">
          ${words(press.technology)} · ${number(press.sheets_per_hour)} sheets/h · ${share} % used
        </span>
      </div>
      <div class="lane-t">
        ${runs.map(r => html`<${Run} r=${r} span=${span} />`)}
        ${press.down_until_sim ? html`<${Down} until=${press.down_until_sim} span=${span} />` : null}
        <i class="nowline" style=${{ left: percent(span.place(at)) }} aria-hidden="true" />
      </div>
    </div>
  `;
}

// Days are the heads of the lanes.
const Days = ({ span }) => html`
  <div class="lane head" aria-hidden="true">
    <div class="lane-n" />
    <div class="lane-t">
      ${span.days.map(
        d => html`<span class="lane-d" style=${{ left: percent(span.place(d * dayLength)) }}>${day(dateOf(d))}</span>`,
      )}
    </div>
  </div>
`;

const HowMany = () => html`
  <div class="seg" role="group" aria-label="Days">
    ${[2, 5, 10].map(n => {
      const show = () => {
        shownDays.value = n;
      };
      return html`<button aria-pressed=${shownDays.value === n} onClick=${show}>${n} days</button>`;
    })}
  </div>
`;

// toNow scrolls the lanes, where they are wider than the window, to the present.
const toNow = lanes => {
  const now = lanes?.querySelector('.nowline');
  if (now) lanes.scrollLeft = now.getBoundingClientRect().left - lanes.getBoundingClientRect().right + 80;
};

function Lanes({ presses, runs, span }) {
  const scroll = useRef();
  useEffect(() => toNow(scroll.current), [shownDays.value]);
  return html`
  <section class="card">
    <div class="card-h"><h2>Lanes</h2><span class="grow" /><${HowMany} /></div>
    <div class="scroll" ref=${scroll} tabindex="0" role="region" aria-label="Press lanes">
      <div class="lanes">
        <${Days} span=${span} />
        ${presses.map(p => {
          const own = runs.filter(r => r.press_id === p.id);
          return html`<${Lane} key=${p.id} press=${p} runs=${own} span=${span} />`;
        })}
      </div>
    </div>
    ${runs.length ? null : html`<div class="lane-empty"><p class="dim">Nothing has been printed yet.</p></div>`}
  </section>
`;
}

function NewestRow({ r }) {
  return html`
    <tr>
      <td class="fill"><a href=${`/console/factory/print-runs/${r.id}`}>${labelOf(r)}</a></td>
      <td class="hide-s">${words(store.row('press', r.press_id)?.technology)}</td>
      <td class="r num hide-s">${number(r.sheets_planned)}</td>
      <td class="r num hide-s">${r.spoilage_pct == null ? '\u2013' : `${r.spoilage_pct} %`}</td>
      <td class="num">${day(r.started_sim.slice(0, 10)).slice(4)} ${r.started_sim.slice(11, 16)}</td>
      <td><${Status} is=${r.status} /></td>
    </tr>
  `;
}

const newestHead = ['What', ['Press', 'hide-s'], ['Sheets', 'r hide-s'], ['Spoilt', 'r hide-s'], 'From', 'Status'];

const Newest = ({ runs }) => html`
  <section class="card">
    <div class="card-h">
      <h2>Newest runs</h2>
      <span class="grow" />
      <a class="more" href="/console/factory/print-runs">All <${Icon} name="chevron-right" size=${14} /></a>
    </div>
    ${
      runs.length
        ? html`
          <${Table} label="Newest runs" head=${newestHead}>
            ${runs.map(r => html`<${NewestRow} key=${r.id} r=${r} />`)}
          <//>
        `
        : html`
          <${Empty} icon="printer" title="No runs yet"><p>Start a print run to print a work order.</p><//>
        `
    }
  </section>
`;

// Proposed is the run that the server has checked: for the most urgent work that can be printed.
function Proposed() {
  const { data } = useNeeds();
  const run = data?.items.find(item => item.command?.operation === 'start_print_run');
  if (!data) return html`<p class="pad"><${Skeleton} width="60%" /></p>`;
  if (run) return html`<div class="pad"><${Mend} command=${run.command} /></div>`;
  const lacking = data.items.find(item => ['no_operator', 'material_missing', 'press_down'].includes(item.kind));
  return html`
    <p class="pad dim">
      ${lacking ? `${plain(lacking.message)} ` : 'None of it can be started now. '}
      <a href="/console">What needs attention</a>
    </p>
  `;
}

// Next are the runs that can start now. Where players are compared, nothing is proposed.
function Next({ presses }) {
  if (store.ended.value) return html`<p class="pad dim">You cannot start runs any more.</p>`;
  if (!presses.some(p => p.status === 'idle')) return html`<p class="pad dim">No press is free.</p>`;
  if (store.status.value.evaluation) return null;
  return html`<${Proposed} />`;
}

// inOrder puts work that has to leave first before the rest; work for the shelf has no date.
const inOrder = all => all.toSorted((a, b) => (a.due_date ?? '9').localeCompare(b.due_date ?? '9'));

// Due is when work is to leave; red once that is over.
const Due = ({ on }) => {
  const over = on && on < store.present.value.sim_date;
  return html`<span class=${over ? 'late' : 'dim'}>${over ? 'was due' : 'due'} ${day(on)}</span>`;
};

function Waiting({ waiting, presses }) {
  const [all, show] = useState(false);
  const rest = waiting.length - runsMost;
  return html`
  <section class="card">
    <div class="card-h">
      <h2>Waiting for a press</h2>
      ${waiting.length ? html`<span class="pill factory">${waiting.length}</span>` : null}
    </div>
    ${
      waiting.length
        ? html`
          <${Next} presses=${presses} />
          <${Table} label="Waiting for a press">
            ${(all ? waiting : waiting.slice(0, runsMost)).map(
              w => html`
                <tr key=${w.id}>
                  <td><a class="c-factory" href=${`/console/factory/work-orders/${w.id}`}>${w.number}</a></td>
                  <td class="fill">${number(w.quantity)} × ${w.product_name}</td>
                  <td><${Due} on=${w.due_date} /></td>
                </tr>
              `,
            )}
          <//>
          ${rest > 0 ? html`<${Rest} rest=${rest} all=${all} show=${show} />` : null}
        `
        : html`
          <${Empty} icon="circle-check" title="No work orders waiting">
            <p>Work orders appear here until a press starts them.</p>
          <//>
        `
    }
  </section>
`;
}

// spanOf is the minutes that the lanes show: some days back, not before the
// opening, and as far as something runs.
function spanOf(present, clock, runs) {
  const today = workingDay(present.sim_date);
  const opening = workingDay(clock.sim_date) - clock.day_number;
  const from = Math.max(today - shownDays.value + 1, opening) * dayLength;
  const running = runs.filter(r => r.status === 'running').map(r => minuteOf(r.ends_sim));
  const to = Math.max(from + 2 * dayLength, (today + 1) * dayLength, ...running);
  return {
    from,
    at: minuteOf(`${present.sim_date}T${present.sim_time}`),
    days: Array.from({ length: Math.ceil((to - from) / dayLength) }, (_, i) => from / dayLength + i),
    place: minute => (100 * (minute - from)) / (to - from),
  };
}

const Lacking = () => html`
  <div class="card">
    <${Empty} icon="key-round" title="This tab has no key of the Factory">
      <p>Presses are the Factory's; Head Office cannot see them.</p>
      <a class="btn" href="/console/session">Session</a>
    <//>
  </div>
`;

const Loading = () => html`
  <div class="card pad-all" role="status" aria-label="Loading">
    <${Skeleton} width="100%" />
    <${Skeleton} width="100%" />
  </div>
`;

function Body() {
  const presses = store.rows('press');
  const runs = store.rows('print_run');
  if (!keyFor('factory')) return html`<${Lacking} />`;
  if (!store.present.value || !presses.length) return html`<${Loading} />`;
  const span = spanOf(store.present.value, store.status.value.clock, runs);
  return html`
    <${Lanes} presses=${presses} runs=${runs} span=${span} />
    <div class="cols">
      <${Newest} runs=${runs.slice(0, runsMost)} />
      <${Waiting} waiting=${inOrder(store.rows('work_order').filter(w => w.status === 'created'))} presses=${presses} />
    </div>
  `;
}

export const Page = () => html`
  <div class="title">
    <h1 class="c-factory">Presses</h1>
    <p>
      The print runs of each press, in working hours. Nights and weekends take no time in the sandbox and are not
      shown.
    </p>
  </div>
  <${Body} />
`;
