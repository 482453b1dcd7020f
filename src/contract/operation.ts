import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call an operation.
 * - `public`: anyone, without a key
 * - `key`: any working API key
 * - `requester`: the account that made the thing in the path, with a key of the same organization
 * - `project viewer`: a key whose owner can see the project that the thing in the path belongs to
 * - `project member`: a key whose owner can see the project in the path
 * - `project admin`: a key whose owner administers that project
 * - `own or project admin`: the owner of what is personal, which nobody else sees; else as `project admin`
 */
export type Access =
  | 'public'
  | 'key'
  | 'requester'
  | 'project viewer'
  | 'project member'
  | 'project admin'
  | 'own or project admin';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

export interface Operation {
  readonly id: string;
  readonly area: Area;
  readonly summary: string;
  readonly description?: string;
  readonly method: Method;
  readonly path: string;
  readonly query?: z.ZodObject;
  /** Absent: the operation takes no body, and an empty object is tolerated. */
  readonly body?: z.ZodType;
  /**
   * A body that works; shown in the documentation and sent by the access matrix. An id is written as the path
   * parameter that would hold it, like `{serverId}`.
   */
  readonly example?: unknown;
  readonly status: 200 | 201 | 202;
  readonly response: z.ZodType;
  /** Refusals beyond those that follow from the access level. */
  readonly errors?: readonly ErrorCode[];
  readonly access: Access;
  /** Draws on the organization's credits or a daily budget. */
  readonly spends?: boolean;
  /** Kept for existing clients; names the path to use instead. */
  readonly deprecated?: string;
  /** Charged to a budget of its own instead of the key's. */
  readonly budget?: 'polls';
  /** `key`: a repeated `Idempotency-Key` replays the first answer instead of acting again. */
  readonly idempotency?: 'key';
}

type ExampleOf<O> = O extends { body: infer Body extends z.ZodType } ? { example: z.input<Body> } : unknown;

/** Declares an operation, keeps its literal types, and asks for an example where there is a body. */
export function operation<const O extends Operation>(declared: O & ExampleOf<O>): O {
  return declared;
}

/** Areas in the order the documentation shows them. */
export const areas = {
  Account: 'Who a key acts as, and in which organization.',
  Projects: 'Projects hold servers and everything tested against them.',
  Servers: 'Saved MCP servers: the records. Secret values go in and never come out.',
  'Server diagnostics': 'Whether a saved server works, and if not, why.',
  Primitives: 'What a server offers, page by page, as it says it.',
  Execution: 'Calling tools and rendering prompts.',
  Export: 'Everything a server lists, in one document that can be compared.',
  OAuth: 'Tokens for servers that need an OAuth grant.',
  'Server connections': 'Saving a server by its URL alone, authorization included.',
  Clients: 'How we talk to servers: model, prompt, capabilities, protocol profile.',
  'Clients (deprecated)': 'The same under their first name. Use the operations of Clients.',
  Environments: 'A client, servers, skills, plugins, secrets and a model, pinned together to run against.',
  Skills: 'Instructions that a model can be given; written with the command line.',
  Plugins: 'Bundles of servers and skills, installed with the command line.',
  Secrets: 'Values that runs receive. They go in and never come out.',
  Sessions: 'Chat sessions across a project.',
  Catalog: 'What this deployment offers: models and client templates.',
} as const;

type Area = keyof typeof areas;

type QueryInput<O> = O extends { query: infer Q extends z.ZodObject } ? z.output<Q> : unknown;
type BodyInput<O> = O extends { body: infer B extends z.ZodType } ? { body: z.output<B> } : unknown;

/** What a verb receives: path parameters and query side by side, the body under `body`. */
export type InputOf<O extends Operation> = { [Name in ParamNames<O['path']>]: string } & QueryInput<O> &
  BodyInput<O>;

export type OutputOf<O extends Operation> = z.input<O['response']>;

/** Path parameters that may hold a name, which is any text. */
export const textParams: ReadonlySet<string> = new Set(['client']);

export function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** Every refusal an operation may answer with, the ones its access level implies included. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['VALIDATION_ERROR', 'INTERNAL_ERROR', ...(operation.errors ?? [])]);
  if (operation.access !== 'public') {
    codes.add('UNAUTHORIZED');
    codes.add('RATE_LIMITED');
  }
  if (operation.access === 'project admin' || operation.access === 'own or project admin')
    codes.add('FORBIDDEN');
  if (paramNames(operation.path).length > 0) codes.add('NOT_FOUND');
  if (operation.idempotency === 'key') codes.add('CONFLICT');
  return [...codes].sort();
}

export function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
