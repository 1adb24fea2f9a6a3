// How exactly records were carried over a bridge by hand.
import { html, Icon } from '../lib/html.js';
import { session } from '../lib/session.js';
import * as store from '../lib/store.js';
import { compared } from '../lib/forks.js';
import { day, number, plain, words } from '../lib/format.js';
import { byCause, clientText, countsOf, eventsOf, recordsOf, scoreText, toneOf } from '../lib/score.js';
import { Problem, Skeleton, useAsked } from './parts.js';

// pause is the least time between two reads, in ms: to judge a company costs the server more
// than anything else that the console shows.
const pause = 5000;

// Failure shows the findings about one record.
function Failure({ all }) {
  const [f] = all;
  const { events, more } = eventsOf(f);
  return html`
    <li>
      ${all.map(
        each => html`
          <p class="failure-h">
            <span class=${`pill ${toneOf(each.verdict)}`}>${words(each.verdict)}</span>
            <span class="dim num">${day(each.since_on)}</span>
            <span>${plain(each.message)}</span>
          </p>
        `,
      )}
      <p class="trail">
        <span class="dim">Records</span>
        ${recordsOf(f).map(r => html`<a class=${`c-${r.system}`} href=${r.href}>${r.name}</a>`)}
      </p>
      ${
        events.length
          ? html`
            <p class="trail">
              <span class="dim">Events</span>
              ${events.map(e => html`<a href=${e.href}><span class="num">${e.seq}</span> ${e.short}</a>`)}
              ${more ? html`<span class="dim">and ${more} more</span>` : null}
            </p>
          `
          : null
      }
    </li>
  `;
}

// halves says what else is in the score: it is the exact and half of the late ones, among those that
// are due, the unexpected and the repeated.
const halves = ({ late, unexpected, repeated }) =>
  [
    late && `; ${number(late)} late ${late === 1 ? 'counts' : 'count'} half`,
    unexpected && `; ${number(unexpected)} unexpected ${unexpected === 1 ? 'counts' : 'count'} against it`,
    repeated && `; ${number(repeated)} repeated ${repeated === 1 ? 'counts' : 'count'} against it`,
  ]
    .filter(Boolean)
    .join('');

const Figure = ({ score, counts }) =>
  score == null
    ? html`
      <div class="score-v none" id="exactly-once">
        <b>No score yet</b>
        <p class="dim">A record counts once it is carried or its time is over.</p>
      </div>
    `
    : html`
      <div class="score-v" id="exactly-once">
        <b class="num">${scoreText(score)}</b>
        <p class="dim">
          <span class="num">${number(counts.exact)}</span> of ${number(counts.due)} met exactly once${halves(counts)}
        </p>
      </div>
    `;

// Client shows what the program made of the faults that hit it, once one did.
function Client({ data }) {
  if (data.client == null) return null;
  return html`
    <div class="score-client" id="client-score">
      <h3>Your program</h3>
      <div class="score-v">
        <b class="num">${scoreText(data.client)}</b>
        <p class="dim">${clientText(data)}</p>
      </div>
      <ol class="failures" aria-label="Not recovered by your program, newest first">
        ${data.unrecovered.map(
          u => html`
            <li>
              <p class="failure-h">
                <span class="pill bad">${words(u.outcome)}</span>
                <span>${plain(u.message)}</span>
              </p>
              <p class="trail">
                <span class="dim">Record</span>
                ${recordsOf({ cause: u.record, effects: [] }).map(
                  r => html`<a class=${`c-${r.system}`} href=${r.href}>${r.name}</a>`,
                )}
              </p>
            </li>
          `,
        )}
      </ol>
    </div>
  `;
}

const Counts = ({ counts }) => html`
  <dl class="verdicts">
    ${countsOf(counts).map(
      ({ verdict, count, tone }) =>
        html`<div class=${tone}><dt>${verdict}</dt><dd class="num">${number(count)}</dd></div>`,
    )}
  </dl>
`;

function Failures({ list, all }) {
  if (!list.length) return null;
  return html`
    <details class="failures-box">
      <summary class="failures-h" data-row>
        <${Icon} name="chevron-right" size=${14} />
        ${all > list.length ? `The newest ${number(list.length)} of ` : ''}${number(all)} not exact
      </summary>
      <ol class="failures" aria-label="Not exact, newest first">
        ${byCause(list).map(all => html`<${Failure} key=${all[0].id} all=${all} />`)}
      </ol>
    </details>
  `;
}

function Judged() {
  const { last_seq } = store.status.value;
  const { data, refusal, ask } = useAsked('/console/data/score', `${last_seq} ${store.present.value.sim_date}`, pause);
  if (!data && !refusal) return html`<div class="pad"><${Skeleton} width="40%" /></div>`;
  if (!data) return html`<div class="pad"><${Problem} refusal=${refusal} retry=${ask} /></div>`;
  return html`
    <div class="score-sum">
      <${Figure} score=${data.exactly_once} counts=${data.counts} />
      <${Counts} counts=${data.counts} />
    </div>
    <${Client} data=${data} />
    <${Failures} list=${data.failures} all=${data.failure_count} />
  `;
}

// Score is there where a program carries the records and players are not compared.
export function Score() {
  if (store.status.value?.bridge !== 'manual' || compared.value) return null;
  return html`
    <section class="card score" aria-labelledby="score">
      <div class="card-h">
        <h2 id="score">Exactly once</h2>
        <span class="grow" />
        <a class="more" href="/docs/bridge">How to carry records</a>
      </div>
      <${Judged} key=${session.value.sandbox_id} />
    </section>
  `;
}
