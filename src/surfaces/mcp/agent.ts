import type { Client } from '../client/index.ts';
import type { Link } from './addresses.ts';
import type { Selection } from './selection.ts';

/** For whom a server answers, and with what. */
export interface Agent {
  client: Client;
  selection: Selection;
  version: string;
  /** Bytes of JSON that an operation takes, unless it declares more. */
  bodyLimit: number;
  /** Of the request that carries the calls, where there is one. */
  requestId?: string;
  /** Aborts when the service is about to end: what waits answers with what it has. */
  ending?: AbortSignal;
  /** Told of whatever nobody foresaw. */
  failed: (error: unknown) => void;
}

/** Something that a call has made or started. */
export interface Made {
  /** Names it with its id. */
  sentence: string;
  /** How to continue with it. */
  next: string;
  links?: Link[];
}

/** One call of a tool. */
export interface Calling {
  agent: Agent;
  /** Aborts when the agent gave up or is gone, and when the service is about to end. */
  signal: AbortSignal;
  /** Whether it was the agent. */
  abandoned: () => boolean;
  /** Whether the agent hears of progress, so that it will wait for long. */
  reporting: boolean;
  /** Filled as soon as something is made: if a later step fails, the answer still names it. */
  made: Made[];
  progress: (done: number, total?: number, message?: string) => void;
}
