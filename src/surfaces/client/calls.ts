import type { z } from 'zod';
import type { ErrorCode } from '../../contract/errors.ts';
import type { OperationId, Operations } from '../../contract/index.ts';
import type { Declaration, EventStream, FileAnswer, Upload } from '../../contract/operation.ts';
import type { CallOptions, SentBytes } from './options.ts';

/**
 * In a build these are written out from the contract's schemas, so that whoever uses them infers nothing; there a body
 * may be left out where an empty one will do.
 */

export type { ErrorCode, OperationId };

type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : unknown;
type Query<O> = O extends { query: infer Q extends z.ZodObject } ? Sent<z.input<Q>, z.output<Q>> : unknown;
/** What is made a number when it arrives is a number here. */
type Sent<Given, Read> = {
  [Name in keyof Given]: unknown extends Given[Name] ? Read[Name & keyof Read] | undefined : Given[Name];
};
type Body<O> = O extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : unknown;
type UploadOf<O> = O extends { upload: Upload } ? { upload: SentBytes } : unknown;
type Parts<O extends Declaration> = Params<O['path']> & Query<O> & Body<O> & UploadOf<O>;

/** What an operation is called with: path and query parameters side by side, the body under `body`, bytes under `upload`. */
export type InputOf<O extends Declaration> = { [Name in keyof Parts<O>]: Parts<O>[Name] };
export type Input<Id extends OperationId> = InputOf<Operations[Id]>;

/** What an operation answers with: a JSON document, the response to read bytes from, or one event of a stream. */
export type OutputOf<O extends Declaration> = O['response'] extends FileAnswer
  ? Response
  : O['response'] extends EventStream<infer Event>
    ? z.output<Event>
    : O['response'] extends z.ZodType
      ? z.output<O['response']>
      : never;
export type Output<Id extends OperationId> = OutputOf<Operations[Id]>;

type Answer<O extends Declaration> = O['response'] extends EventStream
  ? AsyncGenerator<OutputOf<O>>
  : Promise<OutputOf<O>>;

type Call<O extends Declaration> =
  unknown extends Parts<O>
    ? (input?: undefined, options?: CallOptions) => Answer<O>
    : Partial<InputOf<O>> extends InputOf<O>
      ? (input?: InputOf<O>, options?: CallOptions) => Answer<O>
      : (input: InputOf<O>, options?: CallOptions) => Answer<O>;

/** A method for every one of these operations, named by its id. */
export type ClientOf<All extends Record<keyof All, Declaration>> = {
  readonly [Id in keyof All]: Call<All[Id]>;
};
export type Client = ClientOf<Operations>;
