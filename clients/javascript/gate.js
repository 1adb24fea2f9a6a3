// A gate for tests of an integration, by its exactly-once score: the same as RequireExactlyOnce in Go.
import { AssertionError } from 'node:assert';

// Six calendar days have at least four working days: then everything that was due is judged.
const SETTLE_DAYS = 6;
// The longest tick.
const SETTLE_MINUTES = 4800;
// The most reasons that a message names.
const MOST_REASONS = 12;
const least = { carried: 1, client: 1, manners: 0, minDue: 1, minHit: 0 };

/**
 * Rejects unless the program under test has carried everything that was due by now exactly once, and, where faults
 * were asked for, has recovered each write that they hit itself.
 */
export async function requireExactlyOnce(sandbox, gate = {}) {
  for (const [name, value] of Object.entries(gate)) {
    if (!(name in least)) throw new TypeError(`platen: a gate has no ${name}`);
    const fits = value === undefined || (Number.isFinite(value) && value >= 0);
    if (!fits) throw new TypeError(`platen: ${name} of a gate must be a number of at least 0`);
  }
  const { carried, client, manners, minDue, minHit } = { ...least, ...defined(gate) };
  const settled = await settle(sandbox.client);
  const hit = settled.faulty ? { client, minHit } : { client: 0, minHit: 0 };
  const missed = check(settled, { carried, manners, minDue, ...hit });
  if (missed.length === 0) return;
  throw new AssertionError({ message: `platen: ${missed.join('\n')}`, stackStartFn: requireExactlyOnce });
}

// defined leaves out what is undefined.
const defined = values => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

// settle judges what was due by now in a fork in which time passes. The sandbox itself does not change.
async function settle(client) {
  const { faults } = await client.getSandbox();
  const fork = (await client.forkSandbox()).client;
  let settled;
  try {
    settled = await pass(fork);
  } catch (error) {
    await fork.deleteSandbox().catch(() => {}); // the first error says more
    throw error;
  }
  await fork.deleteSandbox();
  const injected = await client.listFaults({ limit: 1 });
  return { ...settled, faulty: Boolean(faults) || injected.items.length > 0 };
}

// pass lets time pass in a fork, and counts what had begun before.
async function pass(fork) {
  const { clock } = await fork.getSandbox();
  if (clock.mode !== 'manual') await fork.updateSandbox({ clock: 'manual' });
  const until = new Date(`${clock.sim_date}T00:00:00Z`);
  until.setUTCDate(until.getUTCDate() + SETTLE_DAYS);
  await fork.advanceTime({ minutes: SETTLE_MINUTES, until: { sim_date: until.toISOString().slice(0, 10) } });
  const score = await fork.getIntegration();
  const findings = [];
  if (score.bridge === 'manual') {
    for await (const finding of fork.integrationFindings()) {
      if (finding.since_on <= clock.sim_date) findings.push(finding); // both are YYYY-MM-DD
    }
  }
  return { score, findings };
}

// check names each demand that is not met, and why. A score that is null meets none: a program to which nothing
// happened has proven nothing.
function check({ score, findings }, gate) {
  const count = (...verdicts) => findings.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const due = findings.length - count('unexpected', 'repeated');
  const once = findings.length > 0 ? (count('exact') + count('late') / 2) / findings.length : null;
  const missed = [];
  const demand = (name, got, wanted, none) => {
    if (wanted <= 0 || (got !== null && got >= wanted)) return;
    missed.push(got === null ? `${name} is null: ${none}` : `${name} is ${short(got)}, less than ${wanted}`);
  };
  demand('exactly_once', once, gate.carried, 'nothing was due');
  demand('client', score.client, gate.client, 'no injected fault has hit a write of your program');
  demand('manners', considerate(score.manners), gate.manners, 'your program has sent no request');
  if (due < gate.minDue) missed.push(`${due} due, fewer than ${gate.minDue}`);
  if (score.hit < gate.minHit) missed.push(`${score.hit} writes hit by a fault, fewer than ${gate.minHit}`);
  if (missed.length === 0) return [];
  const failures = findings.filter(({ verdict }) => verdict !== 'exact');
  const reasons = [
    ...failures.map(({ verdict, message }) => `${verdict}: ${message}`),
    ...score.unrecovered.map(({ outcome, message }) => `${outcome}: ${message}`),
  ];
  return [...missed, ...reasons].slice(0, Math.max(MOST_REASONS, missed.length));
}

// considerate is the part of the requests without a harmless mistake, null before the first.
const considerate = ({ requests, early, writes_refused, unchanged_reads }) =>
  requests === 0 ? null : Math.max(0, 1 - (early + writes_refused + unchanged_reads) / requests);

// short writes a score with three decimals, and never rounds up; 0.57 times 1000 is a little less than 570.
const short = score => (Math.floor(score * 1000 + 1e-9) / 1000).toFixed(3);
