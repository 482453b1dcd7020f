import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Refusal } from '../../contract/errors.ts';
import { type Operation, textParams } from '../../contract/operation.ts';
import { notJson } from './errors.ts';
import { invalid } from './invalid.ts';
import { parseJsonObject, problemOfText } from './json.ts';

export const idShape = /^[A-Za-z0-9_-]{1,128}$/;

/** What the verb receives, checked against the contract: path, query and body in that order. */
export function readInput(operation: Operation, request: FastifyRequest): Record<string, unknown> {
  const input: Record<string, unknown> = readParams(request.params as Record<string, string>);
  if (operation.query)
    Object.assign(input, check(operation.query, readQuery(request.query as Record<string, unknown>)));
  if (operation.body) input['body'] = check(operation.body, readBody(request));
  else if (operation.method !== 'GET' && Object.keys(readBody(request)).length > 0)
    throw invalid(
      operation.method === 'DELETE' ? 'Delete body must be empty' : 'This operation takes no body',
    );
  return input;
}

/** Something that cannot be an id names nothing. */
function readParams(params: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(params))
    if (textParams.has(name) ? problemOfText(value) !== undefined : !idShape.test(value))
      throw new Refusal('NOT_FOUND', `No such ${name.replace(/Id$/, '')}`);
  return { ...params };
}

function readQuery(query: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(query)) {
    const problem = typeof value === 'string' ? problemOfText(value) : 'Given more than once';
    if (problem) throw invalid(`${name.slice(0, 100)}: ${problem}`);
  }
  return query;
}

function readBody(request: FastifyRequest): Record<string, unknown> {
  const body = request.body;
  if (!(body instanceof Uint8Array) || body.length === 0) return {};
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type.trim()))
    throw notJson();
  return parseJsonObject(body);
}

/** zod's own words for the two commonest faults speak of inputs and NaN. */
function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'Required';
  return `Must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
}

function check(schema: z.ZodType, value: unknown): object {
  const parsed = schema.safeParse(value, { error: plainWords });
  if (parsed.success) return parsed.data as object;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const path = issue.path.map(String).join('.');
  // Of a bad key in a map, the reason is inside.
  const { message } = (issue.code === 'invalid_key' && issue.issues[0]) || issue;
  throw invalid(`${path ? `${path}: ` : ''}${message}`);
}
