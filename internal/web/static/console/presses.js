// Press lanes: what each press prints, against the working hours of the company.
import { signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { keyFor } from '../lib/session.js';
import * as store from '../lib/store.js';
import { day, number, words } from '../lib/format.js';
import { Code, Empty, Skeleton, Status, bearer } from './parts.js';

const shownDays = signal(5);
const dayLength = 480;
const opens = 8 * 60;

// workingDay counts days without weekends, so that a lane has no holes.
const workingDay = date => {
  const d = Math.floor(Date.parse(`${date}T00:00:00Z`) / 86400000) + 3;
  return Math.floor(d / 7) * 5 + Math.min(5, d % 7);
};
const minuteOf = sim => {
  const [date, time] = sim.split('T');
  const [h, m] = time.split(':').map(Number);
  return workingDay(date) * dayLength + Math.max(0, Math.min(dayLength, h * 60 + m - opens));
};
const dateOf = n => new Date((Math.floor(n / 5) * 7 + (n % 5) - 3) * 86400000).toISOString().slice(0, 10);

function Lane({ press, runs, from, to, at }) {
  const place = m => (100 * (m - from)) / (to - from);
  const used = runs.reduce(
    (n, r) =>
      n + Math.max(0, Math.min(at, minuteOf(r.completed_sim ?? r.ends_sim)) - Math.max(from, minuteOf(r.started_sim))),
    0,
  );
  return html`
    <div class="lane">
      <div class="lane-n">
        <b>${press.name}</b>
        <${Status} is=${press.status} />
        <span class="dim">
          ${words(press.technology)} · ${number(press.sheets_per_hour)} sheets/h · ${Math.round(
            (100 * used) / Math.max(1, at - from),
          )} % used
        </span>
      </div>
      <div class="lane-t">
        ${runs.map(r => {
          const start = minuteOf(r.started_sim);
          const end = minuteOf(r.completed_sim ?? r.ends_sim);
          const work = store.row('work_order', r.work_order_id ?? r.items[0]?.work_order_id);
          if (end <= from) return null;
          const left = Math.max(0, place(start));
          const width = Math.max(0.6, place(end) - left);
          const [began, ends] = [r.started_sim, r.completed_sim ?? r.ends_sim].map(sim => sim.replace('T', ' '));
          const label = work ? `${number(work.quantity)} × ${work.product_name}` : r.id;
          return html`
            <a
              class=${`run ${r.status}`}
              data-row
              href=${`/console/factory/print-runs/${r.id}`}
              style=${{ left: `${left}%`, width: `${width}%` }}
              title=${`${label}: ${began} to ${ends}, ${number(r.sheets_planned)} sheets`}
            >
              ${
                r.status === 'running'
                  ? html`
                    <i style=${{ transform: `scaleX(${Math.max(0, Math.min(1, (at - start) / (end - start)))})` }} />
                  `
                  : null
              }
              <span class="long">${label}</span>
              <span class="brief num">${number(work?.quantity)}</span>
            </a>
          `;
        })}
        ${
          press.down_until_sim
            ? html`
              <span
                class="run down"
                style=${{
                  left: `${place(at)}%`,
                  width: `${Math.max(1, place(minuteOf(press.down_until_sim)) - place(at))}%`,
                }}
              >
                <span>down</span>
              </span>
            `
            : null
        }
        <i class="nowline" style=${{ left: `${place(at)}%` }} aria-hidden="true" />
      </div>
    </div>
  `;
}

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
          <div class="scroll" tabindex="0" role="region" aria-label="Newest runs">
            <table class="tbl">
              <thead>
                <tr>
                  <th scope="col">What</th>
                  <th scope="col">Press</th>
                  <th class="r" scope="col">Sheets</th>
                  <th class="r" scope="col">Spoilt</th>
                  <th scope="col">From</th>
                  <th scope="col">Status</th>
                </tr>
              </thead>
              <tbody>
                ${runs.map(r => {
                  const work = store.row('work_order', r.work_order_id ?? r.items[0]?.work_order_id);
                  const press = store.row('press', r.press_id);
                  return html`
                    <tr key=${r.id}>
                      <td class="fill">
                        ${work ? html`${number(work.quantity)} × ${work.product_name}` : html`<code>${r.id}</code>`}
                      </td>
                      <td>${words(press?.technology)}</td>
                      <td class="r num">${number(r.sheets_planned)}</td>
                      <td class="r num">${r.spoilage_pct == null ? '\u2013' : `${r.spoilage_pct} %`}</td>
                      <td class="num">${day(r.started_sim.slice(0, 10)).slice(4)} ${r.started_sim.slice(11, 16)}</td>
                      <td><${Status} is=${r.status} /></td>
                    </tr>
                  `;
                })}
              </tbody>
            </table>
          </div>
        `
        : html`
          <${Empty} icon="printer" title="No runs yet"><p>A work order becomes paper when a press takes it.</p><//>
        `
    }
  </section>
`;

// starting is the command that puts a work order on a press.
const starting = (work, press) =>
  [
    `curl -s -X POST ${location.origin}/v1/factory/print-runs ${bearer('factory')} \\`,
    `  -H "Idempotency-Key: run-${work.number}" --json '{"work_order_id":"${work.id}","press_id":"${press.id}"}'`,
  ].join('\n');

export function Page() {
  const presses = store.rows('press');
  const runs = store.rows('print_run');
  const p = store.present.value;
  const head = html`
    <div class="title">
      <h1 class="c-factory">Presses</h1>
      <p>
        What prints where, in working hours. Nights and weekends take no time in the company, so they take no place
        here.
      </p>
    </div>
  `;
  if (!keyFor('factory'))
    return html`
      ${head}
      <div class="card">
        <${Empty} icon="key-round" title="This tab has no key of the Factory">
          <p>Presses are the Factory's; Head Office cannot see them.</p>
          <a class="btn" href="/console/session">Session</a>
        <//>
      </div>
    `;
  if (!p || !presses.length)
    return html`
      ${head}
      <div class="card pad-all" role="status" aria-label="Loading">
        <${Skeleton} width="100%" />
        <${Skeleton} width="100%" />
      </div>
    `;
  const today = workingDay(p.sim_date);
  const from =
    Math.max(
      today - shownDays.value + 1,
      workingDay(store.status.value.clock.sim_date) - store.status.value.clock.day_number,
    ) * dayLength;
  const at = minuteOf(`${p.sim_date}T${p.sim_time}`);
  const to = Math.max(
    from + 2 * dayLength,
    (today + 1) * dayLength,
    ...runs.filter(r => r.status === 'running').map(r => minuteOf(r.ends_sim)),
  );
  const days = Array.from({ length: Math.ceil((to - from) / dayLength) }, (_, i) => from / dayLength + i);
  const waiting = store.rows('work_order').filter(w => w.status === 'created');
  // A command is only shown that would be taken now: for work that is still wanted, and a press that is free.
  const over = new Set(
    store
      .rows('sales_order')
      .filter(o => ['expired', 'declined'].includes(o.status))
      .flatMap(o => [o.id, o.number]),
  );
  const wanted = waiting.findLast(w => !over.has(w.reference));
  const free = presses.find(x => x.status === 'idle');
  return html`
    ${head}
    <section class="card">
      <div class="card-h">
        <h2>Lanes</h2>
        <span class="grow" />
        <div class="seg" role="group" aria-label="Days">
          ${[2, 5, 10].map(
            n => html`
              <button
                aria-pressed=${shownDays.value === n}
                onClick=${() => {
                  shownDays.value = n;
                }}
              >
                ${n} days
              </button>
            `,
          )}
        </div>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="Press lanes">
        <div class="lanes">
          <div class="lane head" aria-hidden="true">
            <div class="lane-n" />
            <div class="lane-t">
              ${days.map(
                d => html`
                  <span class="lane-d" style=${{ left: `${(100 * (d * dayLength - from)) / (to - from)}%` }}>
                    ${day(dateOf(d))}
                  </span>
                `,
              )}
            </div>
          </div>
          ${presses.map(
            press => html`
              <${Lane}
                key=${press.id}
                press=${press}
                runs=${runs.filter(r => r.press_id === press.id)}
                from=${from}
                to=${to}
                at=${at}
              />
            `,
          )}
        </div>
      </div>
      ${runs.length ? null : html`<div class="lane-empty"><p class="dim">Nothing has been printed yet.</p></div>`}
    </section>
    <div class="cols">
      <${Newest} runs=${runs.slice(0, 12)} />
      <section class="card">
        <div class="card-h"><h2>Waiting for a press</h2><span class="pill factory">${waiting.length}</span></div>
        ${
          waiting.length
            ? html`
              <div class="scroll" tabindex="0" role="region" aria-label="Waiting for a press">
                <table class="tbl">
                  <tbody>
                    ${waiting.map(
                      w => html`
                        <tr key=${w.id}>
                          <td><code>${w.number}</code></td>
                          <td class="fill">${number(w.quantity)} × ${w.product_name}</td>
                          <td class="dim">due ${day(w.due_date)}</td>
                        </tr>
                      `,
                    )}
                  </tbody>
                </table>
              </div>
              ${
                wanted && free && !store.readOnly.value
                  ? html`<div class="pad"><${Code} what="start a print run" text=${starting(wanted, free)} /></div>`
                  : html`
                    <p class="pad dim">
                      ${
                        store.readOnly.value
                          ? 'Nothing can be started any more.'
                          : wanted
                            ? 'No press is free.'
                            : 'Their orders have ended.'
                      }
                    </p>
                  `
              }
            `
            : html`
              <${Empty} icon="circle-check" title="Nothing waits">
                <p>Work orders that no press has begun would stand here.</p>
              <//>
            `
        }
      </section>
    </div>
  `;
}
