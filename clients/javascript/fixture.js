// A whole Platen for tests in node:test, Vitest and Jest: a server on a free port, over a database that is thrown away.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { createSandbox } from './platen.js';

export { requireExactlyOnce } from './gate.js';

// A server starts in less than a second; a loaded machine takes longer.
const PATIENCE_MS = 60_000;
// Jest gives a hook five seconds unless it is told otherwise, Vitest ten. node:test has no limit and ignores the number.
const HOOK_MS = 3 * PATIENCE_MS;

// The shell holds the pipe of the tests: when they end, however that is, the pipe is closed, and the shell stops the
// server and removes its folder. The watcher outlives its kill, so that its number is not another process's.
const KEEPER = `
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _; kill "$server"; exec sleep 60; } <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$server"; status=$?
kill "$watcher"
rm -rf "$folder"
exit "$status"
`;

/** Starts a server. PLATEN_BIN names the program, or it is found in the PATH. */
export async function startPlaten({ binary, args = [], client = {} } = {}) {
  const program = binary ?? (process.env.PLATEN_BIN || 'platen');
  const folder = await mkdtemp(join(tmpdir(), 'platen-'));
  const argv = [program, 'serve', '--profile', 'local', '--listen', '127.0.0.1:0'];
  argv.push('--database', join(folder, 'platen.db'), ...args);
  // Settings of another server must not reach this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PLATEN_')));
  const kept = process.platform !== 'win32';
  const [command, ...rest] = kept ? ['/bin/sh', '-c', KEEPER, 'platen-keeper', folder, ...argv] : argv;
  const child = spawn(command, rest, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const server = new Platen(child, folder, kept, client);
  try {
    await server._ready(program);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** A running server. */
class Platen {
  #child;
  #folder;
  #kept;
  #ended;
  #client;
  #said = '';

  constructor(child, folder, kept, client) {
    this.#child = child;
    this.#folder = folder;
    this.#kept = kept;
    this.#client = client;
    this.#ended = new Promise(resolve => {
      child.once('error', error => resolve(error.message));
      child.once('exit', (status, signal) => resolve(`it ended with ${signal ?? `status ${status}`}`));
    });
    child.stdin.on('error', () => {}); // the server has ended by itself
  }

  async _ready(program) {
    const address = await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`it says no address:\n${this.#said}`)), PATIENCE_MS);
      const hear = chunk => {
        this.#said = (this.#said + chunk).slice(-65_536);
        const found = /^ *API +(http:\/\/\S+)$/m.exec(this.#said);
        if (found) resolve(found[1]);
        if (found) clearTimeout(late);
      };
      this.#child.stdout.setEncoding('utf8').on('data', hear);
      this.#child.stderr.setEncoding('utf8').on('data', hear);
      this.#ended.then(how => {
        clearTimeout(late);
        const missing = /not found|ENOENT/.test(how + this.#said) ? ' PLATEN_BIN can name the program.' : '';
        reject(new Error(`platen: ${program} did not start: ${how}.${missing}\n${this.#said}`));
      });
    });
    this.baseURL = address;
    this.origin = new URL(address).origin;
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const response = await fetch(`${this.origin}/readyz`).catch(() => null);
      await response?.body?.cancel();
      if (response?.ok) break;
      if (Date.now() > until) throw new Error(`platen: the server does not become ready:\n${this.#said}`);
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    // The server alone keeps no test program alive.
    for (const handle of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr]) handle.unref?.();
  }

  /** Creates a sandbox: its clock stands still unless the input says otherwise. */
  sandbox(input = {}) {
    return createSandbox(this.baseURL, { clock: 'manual', ...input }, this.#client);
  }

  /** What the server has printed. */
  get output() {
    return this.#said;
  }

  /** Stops the server and removes its database. */
  async stop() {
    this.#child.ref(); // its end is waited for
    if (this.#kept) this.#child.stdin.destroy();
    else this.#child.kill();
    await this.#ended;
    await rm(this.#folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    return this.stop();
  }
}

/**
 * Starts a server before the tests of a file and stops it after them. Before and after are those of the runner.
 * Prepare brings a sandbox into the state that the tests begin with, and fork gives each test one of its own.
 */
export function platenFixture({ before, after, input = {}, prepare = async () => {}, ...options }) {
  let server;
  let base;
  before(async () => {
    server = await startPlaten(options);
    base = await server.sandbox(input);
    await prepare(base);
  }, HOOK_MS);
  after(async () => {
    await server?.stop();
  }, HOOK_MS);
  return {
    get server() {
      return server;
    },
    /** A sandbox in the state that was prepared, for one test alone. */
    fork: (checkpoint = {}) => (base.grading_key ? base.grader : base.client).forkSandbox(checkpoint),
    /** A new sandbox. */
    sandbox: more => server.sandbox(more),
  };
}

/** Where PLATEN_BIN or the PATH has the program, empty where it is not. For tests that are skipped without it. */
export async function findPlaten() {
  const { access, constants } = await import('node:fs/promises');
  const names = process.platform === 'win32' ? ['platen.exe', 'platen'] : ['platen'];
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const places = process.env.PLATEN_BIN
    ? [process.env.PLATEN_BIN]
    : folders.flatMap(folder => names.map(name => join(folder, name)));
  for (const place of places) {
    if (await access(place, constants.X_OK).then(() => true, () => false)) return place; // biome-ignore format: one thought
  }
  return '';
}
