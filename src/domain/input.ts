import type { z } from 'zod';
import { Refusal } from '../contract/errors.ts';
import { type Operation, type ReceivedBytes, streamedAnswer, textParams } from '../contract/operation.ts';
import { plainWords } from '../contract/plain-words.ts';
import { bodyLimitsOf } from './body-limits.ts';
import { invalid } from './invalid.ts';
import { faultIn, problemOfText } from './storable.ts';

/** What a caller sends besides the names in the path, whatever the surface. */
export interface Given {
  query?: Record<string, unknown> | undefined;
  /** Those that the operation declares. */
  headers?: Record<string, unknown> | undefined;
  body?: Record<string, unknown> | undefined;
  upload?: ReceivedBytes | undefined;
  /** Of a reader of events that comes again. */
  lastEventId?: string | undefined;
  idempotencyKey?: string | undefined;
}

const idShape = /^[A-Za-z0-9_-]{1,128}$/;

/** The names in the path. Something that cannot be an id names nothing. */
export function readParams(
  operation: Operation,
  params: Record<string, string | undefined>,
): Record<string, string> {
  const read: Record<string, string> = {};
  for (const name of operation.params) {
    const value = params[name] ?? '';
    if (textParams.has(name) ? problemOfText(value) !== undefined : !idShape.test(value))
      throw new Refusal('NOT_FOUND', `No such ${name.replace(/Id$/, '')}`);
    read[name] = value;
  }
  return read;
}

/** What the verb receives, checked against the contract. A name in the path is never replaced by a query. */
export function readInput(
  operation: Operation,
  params: Record<string, string>,
  given: Given,
): Record<string, unknown> {
  const input: Record<string, unknown> = operation.query
    ? { ...check(operation.query, readQuery(given.query ?? {})), ...params }
    : { ...params };
  if (operation.headers) input['headers'] = check(operation.headers, readQuery(given.headers ?? {}));
  if (operation.idempotency === 'verb' && given.idempotencyKey !== undefined)
    input['idempotencyKey'] = given.idempotencyKey;
  const body = given.body ?? {};
  if (operation.body) {
    const fault = faultIn(body, bodyLimitsOf(operation));
    if (fault) throw invalid(`${fault.path.join('.') || 'body'}: ${fault.problem}`);
    input['body'] = check(operation.body, body);
  } else if (operation.method !== 'GET' && Object.keys(body).length > 0)
    throw invalid(
      operation.method === 'DELETE' ? 'Delete body must be empty' : 'This operation takes no body',
    );
  if (operation.upload) {
    if (!given.upload) throw invalid('Send the bytes as the body of the request');
    input['upload'] = given.upload;
  }
  if (given.lastEventId !== undefined && streamedAnswer(operation.response)?.kind === 'events')
    input['lastEventId'] = given.lastEventId;
  return input;
}

function readQuery(query: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(query)) {
    const problem = Array.isArray(value)
      ? 'Given more than once'
      : typeof value === 'string' && problemOfText(value);
    if (problem) throw invalid(`${name.slice(0, 100)}: ${problem}`);
  }
  return query;
}

function check(schema: z.ZodType, value: unknown): object {
  const read = readAs(schema, value);
  if ('problem' in read) throw invalid(read.problem);
  return read.value as object;
}

/** A value as its schema reads it, or what is wrong with it in words for whoever sent it. */
export function readAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { value: z.output<Schema> } | { problem: string; path: string } {
  const parsed = schema.safeParse(value, { error: (issue) => plainWords(issue) });
  if (parsed.success) return { value: parsed.data };
  const [first, ...others] = parsed.error.issues as [z.core.$ZodIssue, ...z.core.$ZodIssue[]];
  // A misspelt field is missing under one name and unknown under another.
  const unknown = others.find(({ code }) => code === 'unrecognized_keys');
  const problem = [first, ...(unknown ? [unknown] : [])].map(wordsOf).join('. ');
  return { problem, path: first.path.map(String).join('.') };
}

function wordsOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  // Of a bad key in a map, the reason is inside.
  const { message } = (issue.code === 'invalid_key' && issue.issues[0]) || issue;
  return `${path ? `${path}: ` : ''}${message}`;
}
