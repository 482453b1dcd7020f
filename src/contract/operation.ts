import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call an operation.
 * - `public`: anyone, without a key
 * - `key`: any working API key
 * - `directory reader`: any working API key, or a guest token of the directory
 * - `organization member`: a key of the organization in the path
 * - `organization admin`: one whose owner administers it
 * - `requester`: the account that made the thing in the path, or in the body where none is in the path, with a key of the same organization
 * - `project viewer`: a key whose owner can see the project that the thing in the path belongs to
 * - `project member`: a key whose owner can see the project in the path
 * - `project member or visitor`: the same, or one whose owner was let in to the study in the path
 * - `project admin`: a key whose owner administers that project
 * - `own or project admin`: the owner of what is personal, which nobody else sees; else as `project admin`
 *
 * Only in the console:
 * - `visitor`: anyone, and who is signed in is known
 * - `session`: whoever is signed in, a member of an organization or not
 * - `operator`: one who runs this installation
 *
 * Only on the page of a study:
 * - `grant`: whoever was let in to a study, as long as that lasts
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

/** Bytes instead of JSON in the request: handed to the verb as they arrive, refused beyond the limit. */
export interface Upload {
  /** What they are taken for when the request does not say. */
  readonly mediaType: string;
  /** In bytes. */
  readonly limit: number;
  readonly description: string;
}

/** Bytes instead of JSON in the answer. */
export interface FileAnswer {
  readonly kind: 'file';
  /** Or a range of them. */
  readonly mediaType: string;
  readonly description: string;
}

/** A stream of events instead of one answer; each event carries JSON. */
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

/** What an operation answers with, when it is not one JSON document. */
export function streamedAnswer(response: ResponseKind): FileAnswer | EventStream | undefined {
  return 'kind' in response ? response : undefined;
}

/** The schema of a JSON answer. */
export function jsonAnswer(response: ResponseKind): z.ZodType | undefined {
  return 'kind' in response ? undefined : response;
}

interface Declaration {
  readonly area: Area;
  readonly summary: string;
  readonly description?: string;
  readonly method: Method;
  readonly path: string;
  /** Its name on the command line, group and verb, where the one that follows from the path reads badly. */
  readonly command?: string;
  /** A field of the query or the body that the command takes without a flag. */
  readonly argument?: string;
  readonly query?: z.ZodObject;
  /** Headers of the request that it reads besides the usual ones, in lower case. */
  readonly headers?: z.ZodObject;
  /** The header that decides about the form of the answer. */
  readonly varyBy?: string;
  /** Absent: the operation takes no body, and an empty object is tolerated. */
  readonly body?: z.ZodType;
  readonly upload?: Upload;
  /** The operation that tells the same as it happens, to whoever accepts nothing but events here. */
  readonly streamedBy?: string;
  /** Bytes of JSON that it takes where that is more than other operations do. */
  readonly bodyLimit?: number;
  /**
   * A body that works, of an upload too where it may be JSON; shown in the documentation and sent by the access matrix. An id is written as the path
   * parameter that would hold it, like `{serverId}`.
   */
  readonly example?: unknown;
  readonly status: 200 | 201 | 202;
  readonly response: ResponseKind;
  /** Where what was done decides about the status: the others, with what they mean, and which one an answer gets. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  readonly statusOf?: (answer: never) => number;
  /** Response headers that repeat fields of the body, for clients that pass the body on unchanged. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Refusals beyond those that follow from the access level. */
  readonly errors?: readonly ErrorCode[];
  readonly access: Access;
  /** `default` in the place of a project id means the Default project of the key's organization. */
  readonly defaultProject?: true;
  /** Writes nothing here, whatever its method: it talks to a server, or only looks. */
  readonly readOnly?: true;
  /** Calls tools of a server, which may do anything there. */
  readonly callsTools?: true;
  /** Calls other operations on behalf of whoever asks. */
  readonly performs?: true;
  /** The answer may be many megabytes, so it is written in slices. */
  readonly bulky?: true;
  /** Draws on the organization's credits or a daily budget. */
  readonly spends?: boolean;
  /** Kept for existing clients; names the path to use instead. */
  readonly deprecated?: string;
  /** The same operation under another name: whoever calls it enters the other one. */
  readonly alias?: Alias;
  /** Switched on and off for each organization. */
  readonly feature?: Gate;
  /** Charged to a budget of its own instead of the key's. */
  readonly budget?: 'polls';
  /**
   * A repeated `Idempotency-Key` replays the first answer instead of acting again. `transaction`: the key is claimed,
   * the verb runs and the answer is kept in one transaction. `claim`: for work that must not run inside one; the claim
   * is committed first, and given up when the verb refuses. `verb`: the verb is handed the key and knows what it made
   * for it, so that a repetition is answered with what has become of that.
   */
  readonly idempotency?: 'transaction' | 'claim' | 'verb';
  /** With a key it reads what it is sent otherwise, so that none is sent unless the caller chose one. */
  readonly keyChangesMeaning?: true;
}

/** Which operation it is, and how what is sent and answered is spelled there, where that differs. */
export interface Alias {
  readonly of: string;
  readonly toInput?: (input: Record<string, unknown>) => Record<string, unknown>;
  readonly fromAnswer?: (answer: unknown) => unknown;
}

/** What an operation does for an organization that does not have a feature: it refuses, answers as if there were nothing, or goes on. */
interface Gate {
  readonly name: string;
  readonly off: 'refuse' | 'not found' | 'allow' | { readonly answer: unknown };
}

/** The gates of one feature. */
export function gate<const Name extends string>(name: Name) {
  return {
    write: { name, off: 'refuse' },
    readOne: { name, off: 'not found' },
    always: { name, off: 'allow' },
    read: (answer: unknown) => ({ name, off: { answer } }),
  } as const satisfies Record<string, Gate | ((answer: unknown) => Gate)>;
}

/** Offered as another operation already: what looks for operations, or lists them for people, leaves it out. */
export function isSecondName({ deprecated, alias }: Pick<Declaration, 'deprecated' | 'alias'>): boolean {
  return deprecated !== undefined || alias !== undefined;
}

export interface Operation extends Declaration {
  /** The name it is exported under. */
  readonly id: string;
  /** Names of the parameters in the path. */
  readonly params: readonly string[];
}

type ExampleOf<O> = O extends { body: infer Body extends z.ZodType } ? { example: z.input<Body> } : unknown;

/** Declares an operation, keeps its literal types, and asks for an example where there is a body. */
export function operation<const O extends Declaration>(declared: O & ExampleOf<O>): O {
  return declared;
}

/** What most operations of an area have in common. Paths are written below `path`. */
type AreaDefaults = Pick<Declaration, 'area' | 'path' | 'access'>;
type Join<Base extends string, Path> = Path extends string ? `${Base}${Path}` : Base;
type Filled<Base extends AreaDefaults, O> = Omit<Base, 'path' | keyof O> &
  Omit<O, 'path'> & { path: Join<Base['path'], O extends { path: infer Path } ? Path : ''> } & (O extends {
    method: Method;
  }
    ? unknown
    : { method: 'GET' }) &
  (O extends { status: number } ? unknown : { status: 200 });

/** Declares the operations of one area: a GET that answers 200 unless it says otherwise. */
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
  Account: 'Who a key acts as, and in which organization.',
  Projects: 'Projects hold servers and everything tested against them.',
  Servers: 'Saved MCP servers: the records. Secret values go in and never come out.',
  'Server diagnostics': 'Whether a saved server works, and if not, why.',
  Primitives: 'What a server offers, page by page, as it says it.',
  Execution: 'Calling tools and rendering prompts.',
  Export: 'Everything a server lists, in one document that can be compared.',
  'Conformance runs': 'How well servers follow the protocol: checked here, or reported from elsewhere.',
  OAuth: 'Tokens for servers that need an OAuth grant.',
  'Server connections': 'Saving a server by its URL alone, authorization included.',
  Tunnels: 'Servers on machines that nobody reaches from outside, by way of a client that runs there.',
  Registry: 'Servers to choose from: a directory that mirrors others, and cards of the organization.',
  'Directory readiness': 'Whether a server would be taken into a public directory, and what is missing.',
  Clients: 'How we talk to servers: model, prompt, capabilities, protocol profile.',
  'Clients (deprecated)': 'The same under their first name. Use the operations of Clients.',
  Environments: 'A client, servers, skills, plugins, secrets and a model, pinned together to run against.',
  Skills: 'Instructions that a model can be given; written with the command line.',
  Plugins: 'Bundles of servers and skills, installed with the command line.',
  Secrets: 'Values that runs receive. They go in and never come out.',
  'Eval suites': 'Cases to try on servers with a model, and what decides about them.',
  'Eval runs': 'Running a suite, following it, and reading what came of it.',
  'Eval ingestion': 'Results and artifacts of evals that ran elsewhere.',
  Swarms: 'Personas, what they want to get done, and where it is tried.',
  'Swarm runs': 'Having a model play a persona in many sessions, and reading how they went.',
  'Swarm insights': 'What many sessions have in common: scorecards, findings over time, insights.',
  'Swarms (later names)': 'The same under other names: goals for journeys, swarm runs for waves.',
  Studies: 'Environments that people try by a link, what they did there, and what is to be learned from it.',
  'Studies (deprecated)': 'The same under their first names. Use the operations of Studies.',
  Shares: 'Letting people without an account look at something.',
  Agent: 'An assistant that works in a project with these operations.',
  Sessions: 'Chat sessions across a project.',
  'Agent browsers': 'Browsers that a program drives, command by command.',
  Webhooks: 'Having what happens in a project sent to a URL, signed, until it arrives.',
  Catalog: 'What this deployment offers: models, client templates, traces and the budget.',
} as const;

/** What pages of ours alone use is not in the documentation. */
type Area = keyof typeof areas | 'Console' | 'Visits';

type QueryInput<O> = O extends { query: infer Q extends z.ZodObject } ? z.output<Q> : unknown;
type BodyInput<O> = O extends { body: infer B extends z.ZodType } ? { body: z.output<B> } : unknown;

type HeadersInput<O> = O extends { headers: infer H extends z.ZodObject }
  ? { headers: z.output<H> }
  : unknown;
type KeyInput<O> = O extends { idempotency: 'verb' } ? { idempotencyKey?: string } : unknown;
type UploadInput<O> = O extends { upload: Upload } ? { upload: ReceivedBytes } : unknown;
type EventsInput<O> = O extends { response: EventStream } ? { lastEventId?: string } : unknown;

/** What a verb receives: path parameters and query side by side, the body under `body`, bytes under `upload`. */
export type InputOf<O extends Declaration> = { [Name in ParamNames<O['path']>]: string } & QueryInput<O> &
  BodyInput<O> &
  HeadersInput<O> &
  KeyInput<O> &
  UploadInput<O> &
  EventsInput<O>;

/** What a verb answers with. */
export type OutputOf<O extends Declaration> = O['response'] extends FileAnswer
  ? SentFile
  : O['response'] extends EventStream<infer Event>
    ? AsyncIterable<StreamEvent<z.input<Event>>>
    : O['response'] extends z.ZodType
      ? z.input<O['response']>
      : never;

/** The bytes of a request as they arrive. Reading them fails with a refusal beyond the limit. */
export interface ReceivedBytes {
  contentType: string;
  bytes: AsyncIterable<Uint8Array>;
}

export interface SentFile {
  contentType: string;
  /** In bytes, when it is known beforehand. */
  size?: number;
  /** First and last byte, when `bytes` are not all of it. */
  part?: { start: number; end: number };
  /** Whether parts can be asked for. */
  acceptsRanges?: boolean;
  bytes: AsyncIterable<Uint8Array>;
}

export interface StreamEvent<Data> {
  /** Sent back as `Last-Event-ID` by a reader that comes again, so that it misses nothing. */
  id?: string;
  data: Data;
}

/** Path parameters that may hold a name, which is any text. */
export const textParams: ReadonlySet<string> = new Set(['client', 'memberIdOrEmail', 'idOrName']);

export function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** Every refusal an operation may answer with, the ones its access level implies included. */
export function errorCodesOf(operation: Declaration): ErrorCode[] {
  const anywhere: ErrorCode[] = ['VALIDATION_ERROR', 'INTERNAL_ERROR', 'UNAVAILABLE'];
  const codes = new Set<ErrorCode>([...anywhere, ...(operation.errors ?? [])]);
  if (operation.access !== 'public' && operation.access !== 'visitor') {
    codes.add('UNAUTHORIZED');
    codes.add('RATE_LIMITED');
  }
  // A project of the own organization that the owner of the key may not enter.
  if (/project|admin/.test(operation.access)) codes.add('FORBIDDEN');
  if (paramNames(operation.path).length > 0) codes.add('NOT_FOUND');
  if (operation.idempotency) codes.add('CONFLICT');
  return [...codes].sort();
}

export function isDeclaration(value: unknown): value is Declaration {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

export type { Declaration };

/** Whether it changes what is stored here, and so leaves a row in the audit. */
export function isWrite({ method, readOnly }: Declaration): boolean {
  return method !== 'GET' && !readOnly;
}

/** Whether asking for it changes nothing, neither here nor at a server, and costs nothing: it may be asked again, and by anybody careful. */
export function isSafe(declaration: Declaration): boolean {
  return !isWrite(declaration) && !declaration.callsTools && !declaration.spends;
}
