import type { z } from 'zod';
import { Refusal } from '../../contract/errors.ts';
import { plainWords } from '../../contract/messages.ts';
import { type Operation, type ReceivedBytes, type Route, textParams } from '../../contract/operation.ts';
import { faultIn, problemOfText } from '../../platform/json/storable.ts';
import { bodyLimitsOf } from './body-limits.ts';
import { invalid } from './refusals.ts';

/** Input besides the path parameters, in a form common to all surfaces. */
export interface Given {
  query?: Record<string, unknown> | undefined;
  /** The headers the operation declares. */
  headers?: Record<string, unknown> | undefined;
  body?: Record<string, unknown> | undefined;
  upload?: ReceivedBytes | undefined;
  /** From a reader that reconnects to an event stream. */
  lastEventId?: string | undefined;
  idempotencyKey?: string | undefined;
}

const idShape = /^[A-Za-z0-9_-]{1,128}$/;

/** Reads the path parameters. A malformed ID is a 404. */
export function readParams(
  operation: Route,
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

/** Input of a verb, validated against the contract. Path parameters take precedence over the query. */
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
      operation.method === 'DELETE' ? 'Delete body must be empty' : 'This operation has no request body',
    );
  if (operation.upload) {
    if (!given.upload) throw invalid('Send the bytes as the body of the request');
    input['upload'] = given.upload;
  }
  if (given.lastEventId !== undefined && operation.answers === 'events')
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

/** The parsed value, or a readable description of the problem. */
export function readAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { value: z.output<Schema> } | { problem: string; path: string } {
  const parsed = schema.safeParse(value, { error: (issue) => plainWords(issue) });
  if (parsed.success) return { value: parsed.data };
  const [first, ...others] = parsed.error.issues as [z.core.$ZodIssue, ...z.core.$ZodIssue[]];
  // A misspelled required field is both missing and unknown; the message names both.
  const unknown = others.find(({ code }) => code === 'unrecognized_keys');
  const problem = [first, ...(unknown ? [unknown] : [])].map(wordsOf).join('. ');
  return { problem, path: first.path.map(String).join('.') };
}

function wordsOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  // For an invalid map key, the reason is in the nested issue.
  const { message } = (issue.code === 'invalid_key' && issue.issues[0]) || issue;
  return `${path ? `${path}: ` : ''}${message}`;
}
