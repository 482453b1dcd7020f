import type { Client } from '../client/index.ts';
import type { Link } from './addresses.ts';
import type { Selection } from './selection.ts';

/** The client, the tools and the limits of one connection. */
export interface Agent {
  client: Client;
  selection: Selection;
  version: string;
  /** Maximum JSON body in bytes, unless an operation declares more. */
  bodyLimit: number;
  /** The ID of the HTTP request, if there is one. */
  requestId?: string;
  /** Aborts when the service shuts down: waiting calls return what they have. */
  ending?: AbortSignal;
  /** Logs unexpected errors. */
  failed: (error: unknown) => void;
}

/** Something that a call has created or started. */
export interface Made {
  /** Names the object with its ID. */
  sentence: string;
  /** How to continue with the object. */
  next: string;
  links?: Link[];
}

/** One call of a tool. */
export interface Calling {
  agent: Agent;
  /** Aborts when the agent cancels or disconnects, and when the service shuts down. */
  signal: AbortSignal;
  /** Whether the agent cancelled or disconnected. */
  abandoned: () => boolean;
  /** Whether the agent receives progress, and so waits longer. */
  reporting: boolean;
  /** Filled when something is created: if a later step fails, the answer still names it. */
  made: Made[];
  progress: (done: number, total?: number, message?: string) => void;
}
