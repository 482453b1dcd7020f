import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Gate } from './features.ts';

/**
 * Callers that an operation accepts.
 * - `public`: anyone, without a key
 * - `key`: any working API key
 * - `directory reader`: any working API key, or a guest token of the directory
 * - `organization member`: a key of the organization in the path
 * - `organization admin`: a key whose owner administers the organization
 * - `requester`: the account that created the resource in the path or the body, with a key of the same organization
 * - `project viewer`: a key whose owner can see the project of the resource in the path
 * - `project member`: a key whose owner can see the project in the path
 * - `project member or visitor`: a project member, or a key whose owner was admitted to the study in the path
 * - `project admin`: a key whose owner administers that project
 * - `own or project admin`: for personal resources their owner only, others get 404; otherwise a project admin
 *
 * Only in the console:
 * - `visitor`: anyone, signed in or not
 * - `session`: any signed-in user, member of an organization or not
 * - `operator`: an operator of this installation
 *
 * Only on the page of a study:
 * - `grant`: a visitor of a study with a valid grant
 */
export type Access =
  | 'public'
  | 'key'
  | 'directory reader'
  | 'organization member'
  | 'organization admin'
  | 'requester'
  | 'project viewer'
  | 'project member'
  | 'project member or visitor'
  | 'project admin'
  | 'own or project admin'
  | 'visitor'
  | 'session'
  | 'operator'
  | 'grant';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** A request body of bytes instead of JSON, streamed to the verb and rejected beyond the limit. */
export interface Upload {
  /** Default content type. */
  readonly mediaType: string;
  /** In bytes. */
  readonly limit: number;
  readonly description: string;
}

/** A response of bytes, or of a range of them, instead of JSON. */
export interface FileAnswer {
  readonly kind: 'file';
  readonly mediaType: string;
  readonly description: string;
}

/** A response that is a stream of events with JSON data. */
export interface EventStream<Event extends z.ZodType = z.ZodType> {
  readonly kind: 'events';
  readonly event: Event;
  readonly description: string;
}

export function fileAnswer(mediaType: string, description: string): FileAnswer {
  return { kind: 'file', mediaType, description };
}

export function eventStream<Event extends z.ZodType>(event: Event, description: string): EventStream<Event> {
  return { kind: 'events', event, description };
}

export type ResponseKind = z.ZodType | FileAnswer | EventStream;

/** The response of an operation that does not return a single JSON document. */
export function streamedAnswer(response: ResponseKind): FileAnswer | EventStream | undefined {
  return 'kind' in response ? response : undefined;
}

/** The schema of a JSON response. */
export function jsonAnswer(response: ResponseKind): z.ZodType | undefined {
  return 'kind' in response ? undefined : response;
}

interface Declaration {
  readonly area: Area;
  readonly summary: string;
  readonly description?: string;
  readonly method: Method;
  readonly path: string;
  /** Command, as group and verb. Default: derived from the path. */
  readonly command?: string;
  /** Field of the query or the body that the command accepts as a positional argument. */
  readonly argument?: string;
  readonly query?: z.ZodObject;
  /** Additional request headers, in lower case. */
  readonly headers?: z.ZodObject;
  /** Request header that selects the form of the response. */
  readonly varyBy?: string;
  /** Absent if the operation has no body. An empty object is tolerated. */
  readonly body?: z.ZodType;
  readonly upload?: Upload;
  /** Operation that streams the response, used for requests that accept only events. */
  readonly streamedBy?: string;
  /** Limit of the JSON body in bytes, if larger than the default. */
  readonly bodyLimit?: number;
  /**
   * A valid body, for the documentation and the access matrix test. Also for an upload, if it accepts JSON. IDs are
   * written as path parameters, like `{serverId}`.
   */
  readonly example?: unknown;
  readonly status: 200 | 201 | 202;
  readonly response: ResponseKind;
  /** Other statuses that return the response body, with their meaning, and the function that selects the status. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  readonly statusOf?: (answer: never) => number;
  /** Response headers that repeat fields of the body, for clients that forward the body unread. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Error codes besides those implied by the access level. */
  readonly errors?: readonly ErrorCode[];
  readonly access: Access;
  /** Accepts `default` as project ID, for the Default project of the key's organization. */
  readonly defaultProject?: true;
  /** Writes nothing to the database, whatever its method. */
  readonly readOnly?: true;
  /** Calls tools of a server, which can have side effects there. */
  readonly callsTools?: true;
  /** Calls other operations on behalf of the caller. */
  readonly performs?: true;
  /** The response can have many megabytes, so it is written in slices. */
  readonly bulky?: true;
  /** Uses credits or a daily budget of the organization. */
  readonly spends?: boolean;
  /** Path to use instead, if the operation is only kept for existing clients. */
  readonly deprecated?: string;
  /** Set for an alias: calls run the verb of its target. */
  readonly alias?: Alias;
  /** Feature that can be switched off per organization. */
  readonly feature?: Gate;
  /** Rate limit to charge instead of the key's. */
  readonly budget?: 'polls';
  /**
   * How a repeated `Idempotency-Key` is handled. `transaction`: claims the key, runs the verb and stores the response
   * in one transaction; a repeated request gets the stored response. `claim`: commits the claim first, for verbs that
   * must not run in a transaction, and releases it if the verb fails. `verb`: passes the key to the verb, which
   * returns the current state of the resource created for it.
   */
  readonly idempotency?: 'transaction' | 'claim' | 'verb';
  /** An idempotency key changes how the body is interpreted, so clients must not generate one. */
  readonly keyChangesMeaning?: true;
}

/** Target of an alias, with the conversion of its input and response. */
export interface Alias {
  readonly of: string;
  readonly toInput?: (input: Record<string, unknown>) => Record<string, unknown>;
  readonly fromAnswer?: (answer: unknown) => unknown;
}

/** Whether another operation offers the same. Search and lists of operations omit it. */
export function isSecondName({ deprecated, alias }: Pick<Declaration, 'deprecated' | 'alias'>): boolean {
  return deprecated !== undefined || alias !== undefined;
}

/** Operations that are loaded together, when the first of them is called. */
export type Group =
  | 'projects'
  | 'servers'
  | 'directories'
  | 'environments'
  | 'evals'
  | 'swarms'
  | 'studies'
  | 'agent'
  | 'webhooks'
  | 'aliases'
  | 'console'
  | 'visit';

export interface Operation extends Declaration {
  /** Name of the export. */
  readonly id: string;
  readonly group: Group;
  /** Names of the parameters in the path. */
  readonly params: readonly string[];
  readonly answers: 'json' | FileAnswer['kind'] | EventStream['kind'];
  /** The names of `headers`. */
  readonly headerNames?: readonly string[];
}

const onlyDeclared = [
  'summary',
  'description',
  'command',
  'argument',
  'query',
  'headers',
  'body',
  'example',
  'response',
  'otherStatuses',
  'statusOf',
  'answerHeaders',
  'alias',
] as const;

/** An operation without its schemas, functions and texts: enough to admit a request and to answer it. */
export type Route = Omit<Operation, (typeof onlyDeclared)[number]>;

export function routeOf(operation: Operation): Route {
  const route: Partial<Operation> = { ...operation };
  for (const name of onlyDeclared) delete route[name];
  return route as Route;
}

type ExampleOf<O> = O extends { body: infer Body extends z.ZodType } ? { example: z.input<Body> } : unknown;

/** Declares an operation. Keeps literal types, and requires an example if there is a body. */
export function operation<const O extends Declaration>(declared: O & ExampleOf<O>): O {
  return declared;
}

/** Defaults of the operations of an area. Their paths are relative to `path`. */
type AreaDefaults = Pick<Declaration, 'area' | 'path' | 'access'>;
type Join<Base extends string, Path> = Path extends string ? `${Base}${Path}` : Base;
type Filled<Base extends AreaDefaults, O> = Omit<Base, 'path' | keyof O> &
  Omit<O, 'path'> & { path: Join<Base['path'], O extends { path: infer Path } ? Path : ''> } & (O extends {
    method: Method;
  }
    ? unknown
    : { method: 'GET' }) &
  (O extends { status: number } ? unknown : { status: 200 });

/** Declares the operations of an area. Default: a GET with status 200. */
export function operationsIn<const Base extends AreaDefaults>(base: Base) {
  return <const O extends Partial<Declaration> & Pick<Declaration, 'summary' | 'response'>>(
    declared: O & ExampleOf<O>,
  ): Filled<Base, O> =>
    ({
      method: 'GET',
      status: 200,
      ...base,
      ...declared,
      path: `${base.path}${declared.path ?? ''}`,
    }) as unknown as Filled<Base, O>;
}

/** Areas in the order the documentation shows them. */
export const areas = {
  Account: 'The account and organization of an API key.',
  Projects: 'Projects contain servers and everything that is tested against them.',
  Servers: 'Saved MCP servers. Secret values are write-only.',
  'Server diagnostics': 'Test whether a saved server works, and find out why not.',
  Primitives: 'List the tools, resources and prompts of a server.',
  Execution: 'Call tools and render prompts.',
  Export: 'Export everything a server lists as one document for comparison.',
  'Conformance runs':
    'Conformance of servers to the protocol, checked by this service or reported by others.',
  OAuth: 'Tokens for servers that require OAuth.',
  'Server connections': 'Add a server by its URL, including authorization.',
  Tunnels: 'Connect to servers on private machines through a client that runs there.',
  Registry: 'Find servers in mirrored directories and in the cards of the organization.',
  'Directory readiness': 'Check whether a server meets the requirements of a public directory.',
  Clients: 'Model, prompt, capabilities and protocol profile to use with servers.',
  'Clients (deprecated)': 'Former names of the operations of Clients.',
  Environments: 'A client, servers, skills, plugins, secrets and a model, combined as a target for runs.',
  Skills: 'Instructions for models. Read-only over the API; manage them with the command line.',
  Plugins: 'Bundles of servers and skills. Read-only over the API; manage them with the command line.',
  Secrets: 'Secret values for runs. Values are write-only.',
  'Eval suites': 'Test cases for servers and models, with their checks and thresholds.',
  'Eval runs': 'Run suites, follow runs and read their results.',
  'Eval ingestion': 'Report results and artifacts of evals that ran elsewhere.',
  Swarms: 'Personas, their journeys, and the targets to try them on.',
  'Swarm runs': 'Simulate sessions of personas with a model, and read the results.',
  'Swarm insights': 'Scorecards, findings and insights across sessions.',
  'Swarms (later names)': 'Aliases of the operations of Swarms: goals are journeys, swarm runs are waves.',
  Studies: 'Let people try an environment through a link, and analyze their sessions.',
  'Studies (deprecated)': 'Former names of the operations of Studies.',
  Shares: 'Share results with people who have no account.',
  Agent: 'An assistant that works in a project through this API.',
  Sessions: 'Chat sessions across a project.',
  'Agent browsers': 'Browsers for programs, controlled by commands.',
  Webhooks: 'Send events of a project to a URL, with signatures and retries.',
  Catalog: 'Models, client templates, traces and the budget of this deployment.',
} as const;

/** The documentation omits the areas that only our own pages use. */
type Area = keyof typeof areas | 'Console' | 'Visits';

type QueryInput<O> = O extends { query: infer Q extends z.ZodObject } ? z.output<Q> : unknown;
type BodyInput<O> = O extends { body: infer B extends z.ZodType } ? { body: z.output<B> } : unknown;

type HeadersInput<O> = O extends { headers: infer H extends z.ZodObject }
  ? { headers: z.output<H> }
  : unknown;
type KeyInput<O> = O extends { idempotency: 'verb' } ? { idempotencyKey?: string } : unknown;
type UploadInput<O> = O extends { upload: Upload } ? { upload: ReceivedBytes } : unknown;
type EventsInput<O> = O extends { response: EventStream } ? { lastEventId?: string } : unknown;

/** Input of a verb: path and query parameters at the top level, the body under `body`, bytes under `upload`. */
export type InputOf<O extends Declaration> = { [Name in ParamNames<O['path']>]: string } & QueryInput<O> &
  BodyInput<O> &
  HeadersInput<O> &
  KeyInput<O> &
  UploadInput<O> &
  EventsInput<O>;

/** Result of a verb. */
export type OutputOf<O extends Declaration> = O['response'] extends FileAnswer
  ? SentFile
  : O['response'] extends EventStream<infer Event>
    ? AsyncIterable<StreamEvent<z.input<Event>>>
    : O['response'] extends z.ZodType
      ? z.input<O['response']>
      : never;

/** The streamed bytes of a request. Reading beyond the limit throws a refusal. */
export interface ReceivedBytes {
  contentType: string;
  bytes: AsyncIterable<Uint8Array>;
}

export interface SentFile {
  contentType: string;
  /** In bytes, if known in advance. */
  size?: number;
  /** First and last byte, if `bytes` is a range. */
  part?: { start: number; end: number };
  /** Whether clients can request ranges. */
  acceptsRanges?: boolean;
  bytes: AsyncIterable<Uint8Array>;
}

export interface StreamEvent<Data> {
  /** A reconnecting client sends it as `Last-Event-ID` and receives the events after it. */
  id?: string;
  data: Data;
}

/** Path parameters that accept names, and so any text. */
export const textParams: ReadonlySet<string> = new Set(['client', 'memberIdOrEmail', 'idOrName']);

export function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** All error codes of an operation, including those implied by its access level. */
export function errorCodesOf(operation: Declaration): ErrorCode[] {
  const anywhere: ErrorCode[] = ['VALIDATION_ERROR', 'INTERNAL_ERROR', 'UNAVAILABLE'];
  const codes = new Set<ErrorCode>([...anywhere, ...(operation.errors ?? [])]);
  if (operation.access !== 'public' && operation.access !== 'visitor') {
    codes.add('UNAUTHORIZED');
    codes.add('RATE_LIMITED');
  }
  // For projects of the key's organization that its owner has no access to.
  if (/project|admin/.test(operation.access)) codes.add('FORBIDDEN');
  if (paramNames(operation.path).length > 0) codes.add('NOT_FOUND');
  if (operation.idempotency) codes.add('CONFLICT');
  return [...codes].sort();
}

function isDeclaration(value: unknown): value is Declaration {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

export type { Declaration };

/** Whether the operation changes stored data, and so writes an audit row. */
export function isWrite({ method, readOnly }: Declaration): boolean {
  return method !== 'GET' && !readOnly;
}

/** Whether the operation has no side effects, here or at a server, and costs nothing. Such requests can be retried. */
export function isSafe(declaration: Declaration): boolean {
  return !isWrite(declaration) && !declaration.callsTools && !declaration.spends;
}

/** The operations among the exports of contract files, with the names of their exports as IDs. */
export function operationsOf(
  group: Group,
  exported: Readonly<Record<string, unknown>>,
  furtherErrors: readonly ErrorCode[] = [],
): readonly Operation[] {
  return Object.entries(exported).flatMap(([id, value]) =>
    isDeclaration(value)
      ? [
          {
            ...value,
            id,
            group,
            params: paramNames(value.path),
            answers: streamedAnswer(value.response)?.kind ?? 'json',
            ...(value.headers && { headerNames: Object.keys(value.headers.shape) }),
            errors: [...(value.errors ?? []), ...furtherErrors],
          },
        ]
      : [],
  );
}

/** The declarations among the exports of contract files. */
export type OperationsOf<Exported> = {
  [Name in keyof Exported as Exported[Name] extends Declaration ? Name : never]: Exported[Name];
};
