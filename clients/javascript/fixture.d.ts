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

/** The least that a test demands of an integration. */
export interface Gate {
  /** The least exactly_once; 1 when left out, 0 demands none. */
  carried?: number | undefined;
  /** The least client, where the sandbox was asked for faults; 1 when left out, 0 demands none. */
  client?: number | undefined;
  /** The least part of the requests that were not early, no rejected write and no unchanged read; 0 when left out. */
  manners?: number | undefined;
  /** The least number of obligations that were due; 1 when left out. */
  minDue?: number | undefined;
  /** The least number of writes that a fault hit, where the sandbox was asked for faults; 0 when left out. */
  minHit?: number | undefined;
}

/**
 * Rejects with an AssertionError unless the program under test has carried everything that was due by now exactly
 * once, and, where faults were asked for, has recovered each write that they hit itself.
 *
 * Call it when the program has nothing left to do: time passes in a fork, and the sandbox stays as it is.
 */
export declare function requireExactlyOnce(sandbox: Sandbox, gate?: Gate): Promise<void>;

/** Where PLATEN_BIN or the PATH has the program, empty where it is not. For tests that are skipped without it. */
export declare function findPlaten(): Promise<string>;
