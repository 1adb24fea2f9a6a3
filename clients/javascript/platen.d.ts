import type {
  Code,
  CreateSandboxInput,
  EventSystem,
  EventType,
  FeedEvent,
  ForkedFrom,
  ListRequestsParams,
  LoggedCall,
  Meta,
  NewSandbox,
  QueueTicket,
} from './operations.gen.js';
import { Operations } from './operations.gen.js';

export * from './operations.gen.js';

/** The largest limit of a page. Reading all pages asks for so many rows at a time. */
export declare const MOST_PER_PAGE: 100;

/** The keys of a sandbox. Methods whose key is missing reject with NoKeyError. */
export interface Keys {
  office?: string | undefined;
  factory?: string | undefined;
  /** The key that judges the player of an evaluation, who must not have it. */
  grading?: string | undefined;
}

/** How a client works. */
export interface ClientOptions {
  /** How often a call is repeated, 0 for never; only maxElapsedMs limits it when left out. */
  maxRetries?: number | undefined;
  /** The time from the beginning of a call to that of its last attempt; a minute when left out. */
  maxElapsedMs?: number | undefined;
  /** The time of one attempt; 30 seconds when left out, more than a long poll takes. */
  attemptTimeoutMs?: number | undefined;
  /**
   * Whether retryable conflicts (409), such as press_busy, are repeated too. They tell of the company, not of the
   * connection, so they are left to the program unless this is set.
   */
  retryConflicts?: boolean | undefined;
  /** The key without which a server makes no sandbox, where its operator has set one. */
  creationKey?: string | undefined;
  /** The header User-Agent. Browsers send their own when this is left out. */
  userAgent?: string | undefined;
  /** Sends in place of the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Is told of each pause before it begins. */
  onWait?: ((wait: Wait) => void) | undefined;
  /** Is told of each attempt after it has ended. An error that it throws is written to the console. */
  onExchange?: ((exchange: Exchange) => void) | undefined;
  /** The source of idempotency keys: 1 to 64 printable ASCII characters, never the same twice. */
  newKey?: (() => string) | undefined;
  /** The clock in milliseconds, for tests. */
  now?: (() => number) | undefined;
  /** Waits, for tests. It must reject with the reason of the signal when that aborts. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

/** Details of a finished call, filled in by it. After a failed one they describe the last attempt. */
export interface Call {
  attempts?: number;
  /** The status of the response, 0 when there was none. */
  status?: number;
  headers?: Headers;
  /** The whole response as it came. */
  body?: string;
  meta?: Meta;
  /** The version of the data that a read returned. */
  etag?: string;
  /** The key that a write was sent with. With it, a write whose outcome is unknown can be sent again. */
  idempotencyKey?: string;
  /** Whether the response is the stored one of an earlier attempt. */
  replayed?: boolean;
}

/** What every method takes beside its parameters. */
export interface CallOptions {
  /** Ends the call, its waits among them: it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** The etag of the same data read before: when nothing has changed, the call rejects with NotModified. */
  ifNoneMatch?: string | undefined;
  /** Is filled with the details of the call. */
  call?: Call | undefined;
}

/** What every write takes beside its parameters. */
export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /**
   * A key of your own in place of a random one, such as that of keyFor, so that a program that was started anew repeats
   * nothing. A key is for one intention.
   */
  idempotencyKey?: string | undefined;
  call?: Call | undefined;
}

/** What every write about one record takes beside its parameters. */
export interface RecordWriteOptions extends WriteOptions {
  /**
   * The etag of the record read before, or '*'. When the record has changed since, the call rejects with the code
   * precondition_failed, and nothing was done.
   */
  ifMatch?: string | undefined;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** The cursor of the next page, null when the list has ended. */
  next_cursor: string | null;
  /** The number of the newest event; only pages of events have it. */
  last_seq?: number;
  /** The version of the page, for ifNoneMatch. */
  etag: string;
  meta: Meta;
}

/** A pause of a call. */
export interface Wait {
  operation: string;
  /** The time until the next attempt, or until the next look at the ticket; 0 for a proof of work. */
  durationMs: number;
  /** The reason: the error of the last attempt; undefined in the queue. */
  error?: unknown;
  /** The place in the queue for a sandbox. */
  ticket?: QueueTicket;
  /** The bits of a proof of work: 2 to its power is the number of hashes to expect. */
  difficulty?: number;
}

/** One attempt of a call. The response of create_sandbox has keys in it, those about webhooks their secrets. */
export interface Exchange {
  operation: string;
  method: string;
  /** Below the base URL, with its query. */
  path: string;
  /** The system of the key that was sent, empty where there was none. */
  system: string;
  attempt: number;
  request: string | null;
  /** 0 when there was no response. */
  status: number;
  headers: Headers | null;
  response: string | null;
  durationMs: number;
  /** The reason why there was no response. */
  error: unknown;
}

/** Any failure that this module describes. */
export declare class PlatenError extends Error {
  /** How often the request was sent. */
  attempts: number;
}

/** An error that the server returned. Programs look at its code, never at its text. */
export declare class ApiError extends PlatenError {
  /** The id of the operation, such as accept_sales_order. */
  operation: string;
  status: number;
  /** Tells errors apart; empty when a proxy or another intermediary sent the response. */
  code: Code | '' | (string & {});
  /** The cause, and the remedy, for people. */
  text: string;
  hint: string;
  /** The page about the code. */
  docsUrl: string;
  /** An object for programs, null for most codes. */
  // biome-ignore lint/suspicious/noExplicitAny: its form depends on the code.
  details: any;
  /** Whether the same request can succeed later. */
  retryable: boolean;
  /** When, by the server's clock. */
  retryAt: string | null;
  /** The time to wait from the response on, with the clocks' difference taken out; 0 where the server named none. */
  retryAfterMs: number;
  /** Finds the request in the server's log. */
  requestId: string;
}

/** There was no response, or only a part of one. Whether the request took effect is not known. */
export declare class NetworkError extends PlatenError {}

/** Something that was asked for with ifNoneMatch has not changed. */
export declare class NotModified extends PlatenError {}

/** The client has no key for the system that a method belongs to. */
export declare class NoKeyError extends PlatenError {}

/** Whether an error is one of the server with a code, such as press_busy. */
export declare function isCode(error: unknown, code: Code): error is ApiError;

/**
 * Names an idempotency key for the step and its record, such as accept-SO-1001 for a sales order's number or id: a
 * program that was started again, or runs twice, sends the same one. Where a step may happen again, add an ordinal
 * that you read from the record, never the attempt: keyFor('print', work.number, work.print_run_ids.length + 1).
 * A key has at most 64 characters.
 */
export declare function keyFor(step: string, record: string, ordinal?: number): string;

/** A new sandbox. No other response shows its keys. */
export declare class Sandbox implements NewSandbox {
  sandbox_id: string;
  public_name: string;
  expires_at: string;
  office_key: string;
  factory_key: string;
  grading_key?: string;
  /** Where a fork comes from. */
  forked_from?: ForkedFrom;
  /** A client with the keys of the sandbox, and the options that it was created with. */
  readonly client: Client;
  readonly keys: Keys;
  /** A client with the grading key alone: what it reads leaves no trace. */
  readonly grader: Client;
  private constructor();
}

/** Creates a sandbox without a client. It does a proof of work when the server asks for one, and waits in the queue. */
export declare function createSandbox(
  baseURL: string,
  input?: CreateSandboxInput,
  options?: ClientOptions & WriteOptions,
): Promise<Sandbox>;

/** Keeps how far the feed has been handled. */
export interface Checkpoint {
  /** The number of the last event that was handled, 0 for none. */
  load(): Promise<number> | number;
  save(seq: number): Promise<void> | void;
}

/** What events follows. */
export interface FollowOptions {
  /** Begin behind this event, whatever the checkpoint says. */
  after?: number | undefined;
  checkpoint?: Checkpoint | undefined;
  types?: readonly EventType[] | undefined;
  system?: EventSystem | undefined;
  /** How long a poll waits on the server, in seconds; 20 when left out. */
  wait_s?: number | undefined;
  /** Whether to wait for more at the end of the feed, which is so when left out. */
  follow?: boolean | undefined;
  /** Rows in a page. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Calls the API with the keys of a sandbox. */
export declare class Client extends Operations {
  constructor(baseURL: string, keys?: Keys, options?: ClientOptions);
  readonly baseURL: string;
  /** The same client with other keys, and with other options where they are given. */
  with(keys: Keys, options?: ClientOptions): Client;
  /**
   * Waits until the sandbox has had a request that the params choose, and returns it: a test waits so for the program
   * that it tests. It is the oldest of the newest 100 that fit; `after`, the request_id of any response, begins behind
   * that request. Rejects with a PlatenError when none has come in 30 seconds, or another time.
   */
  waitForRequest(
    params?: Pick<ListRequestsParams, 'method' | 'path' | 'operation' | 'status' | 'after' | 'updated_since'>,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<LoggedCall>;
  /**
   * Follows the feed: yields every event, and waits for more. A checkpoint is asked where to begin, and told of an
   * event when the loop asks for the next one. So each event is handled at least once, and none is lost: one whose
   * handling was cut short comes again, also the one that a break left. A follower outlives outages of the server.
   */
  events(options?: FollowOptions): AsyncGenerator<FeedEvent, void, undefined>;
  /** Sends a request that no method covers, once, and returns the response as it came. */
  do(
    method: string,
    path: string,
    options?: { body?: string; headers?: HeadersInit; signal?: AbortSignal; idempotencyKey?: string },
  ): Promise<{ status: number; headers: Headers; body: string }>;
}

/** A webhook that must be rejected. Its message is the reason. */
export declare class WebhookError extends Error {}

/** Headers as fetch or node:http have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Checks that a webhook was signed with the secret, or with one of several, just now, and resolves to its event.
 * The body must be the raw one.
 */
export declare function verifyWebhook(delivery: {
  secret: string | readonly string[];
  headers: WebhookHeaders;
  body: string | ArrayBuffer | ArrayBufferView;
  toleranceS?: number;
  now?: number;
}): Promise<FeedEvent>;

/** Signs a body as the server does, for tests of a receiver. It resolves to the headers. */
export declare function signWebhook(delivery: {
  secret: string | readonly string[];
  id: string;
  body: string | ArrayBuffer | ArrayBufferView;
  timestamp?: number;
}): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;
