// The exactly-once score of a bridge by hand, in words.
import { words } from './format.js';

// scoreText is a score from 0 to 1 with three decimals, that never rounds up to 1.
export function scoreText(score) {
  if (score == null) return null;
  const text = score.toFixed(3);
  return text === '1.000' && score < 1 ? '0.999' : text;
}

// clientText says what a program made of the faults that hit it.
export function clientText({ hit, recovered, saved, abandoned }) {
  const again = hit - recovered - saved - abandoned;
  const rest = [
    saved && `${saved} saved by a check of the company`,
    abandoned && `${abandoned} abandoned`,
    again && `${again} done again`,
  ].filter(Boolean);
  const lost = `Your program recovered ${recovered} of ${hit} ${hit === 1 ? 'request' : 'requests'} that a fault hit`;
  return [lost, ...rest].join('; ');
}

// verdicts are in the order in which they are shown, each with its tone.
const verdicts = {
  exact: 'ok',
  late: 'warn',
  missed: 'bad',
  doubled: 'bad',
  wrong: 'bad',
  unexpected: 'bad',
  repeated: 'bad',
};
export const toneOf = verdict => verdicts[verdict] ?? 'calm';
export const countsOf = counts =>
  Object.entries(verdicts).map(([verdict, tone]) => ({
    verdict,
    count: counts[verdict],
    tone: counts[verdict] ? tone : 'calm',
  }));

// recordsOf are the records of a finding, the one that obliges first: name and page of each.
// A week of attendance is no record, and has the page of its list.
export const recordsOf = finding =>
  [finding.cause, ...finding.effects].filter(Boolean).map(r => ({
    id: r.id,
    system: r.path.split('/')[1],
    name: r.number ?? `${words(r.resource)} ${r.id}`,
    href: `/console${r.path.split('?')[0]}`,
  }));

// byCause puts findings about the same record together, in the order of the newest.
export function byCause(findings) {
  const groups = new Map();
  for (const f of findings) {
    const id = f.cause?.id ?? f.id;
    groups.set(id, [...(groups.get(id) ?? []), f]);
  }
  return [...groups.values()];
}

// eventsOf are the first events of a finding, and how many there are beyond them.
const eventsMost = 6;
export const eventsOf = ({ events }) => ({
  events: events
    .slice(0, eventsMost)
    .map(e => ({ ...e, short: words(e.type.split('.').slice(1).join(' ')), href: `/console/events/${e.id}` })),
  more: Math.max(0, events.length - eventsMost),
});
