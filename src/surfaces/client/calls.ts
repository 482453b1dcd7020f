import type { z } from 'zod';
import type { ErrorCode } from '../../contract/errors.ts';
import type { OperationId, Operations } from '../../contract/index.ts';
import type { Declaration, EventStream, FileAnswer, Upload } from '../../contract/operation.ts';
import type { CallOptions, SentBytes } from './options.ts';

/**
 * Replaced in a build by types written out from the contract, which need no inference and make bodies optional where an
 * empty one is valid.
 */

export type { ErrorCode, OperationId };

type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : unknown;
type Query<O> = O extends { query: infer Q extends z.ZodObject } ? Sent<z.input<Q>, z.output<Q>> : unknown;
/** Coerced query parameters, typed as numbers. */
type Sent<Given, Read> = {
  [Name in keyof Given]: unknown extends Given[Name] ? Read[Name & keyof Read] | undefined : Given[Name];
};
type Body<O> = O extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : unknown;
type UploadOf<O> = O extends { upload: Upload } ? { upload: SentBytes } : unknown;
type Parts<O extends Declaration> = Params<O['path']> & Query<O> & Body<O> & UploadOf<O>;

/** Input of an operation: path and query parameters at the top level, the body under `body`, bytes under `upload`. */
export type InputOf<O extends Declaration> = { [Name in keyof Parts<O>]: Parts<O>[Name] };
export type Input<Id extends OperationId> = InputOf<Operations[Id]>;

/** Result of an operation: a JSON document, the `Response` for bytes, or an event of a stream. */
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

/** A method for each operation, named by its ID. */
export type ClientOf<All extends Record<keyof All, Declaration>> = {
  readonly [Id in keyof All]: Call<All[Id]>;
};
export type Client = ClientOf<Operations>;
