import type { ClientOptions, CreateSandboxInput, ForkSandboxInput, Sandbox } from './platen.js';

/** How a server is started. */
export interface PlatenOptions {
  /** The program; PLATEN_BIN or that in the PATH when left out. */
  binary?: string;
  /** More flags of `platen serve`. */
  args?: readonly string[];
  /** Options of the clients of its sandboxes. */
  client?: ClientOptions;
}

/** A running server. */
export interface Platen {
  /** Where its API is, such as http://127.0.0.1:40123/v1. */
  readonly baseURL: string;
  readonly origin: string;
  /** What the server has printed. */
  readonly output: string;
  /** Creates a sandbox: its clock is manual unless the input sets another. */
  sandbox(input?: CreateSandboxInput): Promise<Sandbox>;
  /** Stops the server and removes its database. That happens by itself, too, when the tests end. */
  stop(): Promise<void>;
}

/** Starts a server on a free port of this machine, without limits and over a database that is thrown away. */
export declare function startPlaten(options?: PlatenOptions): Promise<Platen>;

/** What the tests of a file share. */
export interface Fixture {
  readonly server: Platen;
  /** A sandbox in the state that was prepared, or in that of a checkpoint, for one test alone. */
  fork(checkpoint?: ForkSandboxInput): Promise<Sandbox>;
  /** A new sandbox. */
  sandbox(input?: CreateSandboxInput): Promise<Sandbox>;
}

/**
 * Starts a server before the tests of a file and stops it after them.
 *
 * Before and after are those of the runner: `before` and `after` of node:test, `beforeAll` and `afterAll` of Vitest and
 * Jest. Prepare brings a sandbox into the state that the tests begin with.
 */
export declare function platenFixture(
  options: PlatenOptions & {
    before: (run: () => Promise<void>) => unknown;
    after: (run: () => Promise<void>) => unknown;
    input?: CreateSandboxInput;
    prepare?: (sandbox: Sandbox) => Promise<void>;
  },
): Fixture;

/** Where PLATEN_BIN or the PATH has the program, empty where it is not. For tests that are skipped without it. */
export declare function findPlaten(): Promise<string>;
