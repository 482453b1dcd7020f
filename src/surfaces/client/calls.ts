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
export type Input<Id extends OperationId> = {
  [Name in keyof Parts<Operations[Id]>]: Parts<Operations[Id]>[Name];
};

/** What an operation answers with: a JSON document, the response to read bytes from, or one event of a stream. */
export type Output<Id extends OperationId> = Operations[Id]['response'] extends FileAnswer
  ? Response
  : Operations[Id]['response'] extends EventStream<infer Event>
    ? z.output<Event>
    : Operations[Id]['response'] extends z.ZodType
      ? z.output<Operations[Id]['response']>
      : never;

type Answer<Id extends OperationId> = Operations[Id]['response'] extends EventStream
  ? AsyncGenerator<Output<Id>>
  : Promise<Output<Id>>;

type Call<Id extends OperationId> =
  unknown extends Parts<Operations[Id]>
    ? (input?: undefined, options?: CallOptions) => Answer<Id>
    : Partial<Input<Id>> extends Input<Id>
      ? (input?: Input<Id>, options?: CallOptions) => Answer<Id>
      : (input: Input<Id>, options?: CallOptions) => Answer<Id>;

/** A method for every operation of the contract, named by its id. */
export type Client = { readonly [Id in OperationId]: Call<Id> };
