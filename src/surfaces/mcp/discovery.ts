import { z } from 'zod';
import { Refusal } from '../../contract/errors.ts';
import { operationList } from '../../contract/index.ts';
import { isSafe, isSecondName, type Operation, streamedAnswer } from '../../contract/operation.ts';
import { named } from '../../platform/quoted.ts';
import { nearest } from '../common/naming.ts';
import { notReadOnly } from './operation-call.ts';
import { annotationsOf, operationNamed, reachesOut, wordsOf } from './operation-facts.ts';
import { callByName } from './operation-names.ts';
import { inputSchemaOf, type ObjectSchema } from './operation-schema.ts';
import { type AgentTool, answerSize, tool } from './tool.ts';

const operation = z.string().max(100).describe('Operation ID, from search_operations.');
const given = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'Path and query parameters, and the JSON body as `body`. Names are accepted for IDs; projectId is optional.',
  );

/** Tools that search, describe and call any operation. */
export function discoveryTools(readOnly: boolean): AgentTool[] {
  return [
    searchOperations(readOnly),
    describeOperation,
    withReachOf(readOperation),
    ...(readOnly ? [] : [withReachOf(writeOperation)]),
  ];
}

/** Derives whether the tool contacts a server from the operation that it calls. */
function withReachOf(calls: AgentTool): AgentTool {
  return {
    ...calls,
    reachesOut: ({ operation: id }) => {
      const found = operationNamed(String(id));
      return found !== undefined && reachesOut(found);
    },
  };
}

function searchOperations(readOnly: boolean): AgentTool {
  return tool({
    name: 'search_operations',
    title: 'Search the operations of Drydock',
    description: `Search the operations of the Drydock API, for tasks without a tool of their own. Call them with read_operation${readOnly ? '' : ' or write_operation'}, by ID.`,
    input: z.strictObject({
      query: z.string().max(300).describe('Words like "rotate secret". An empty query lists all IDs.'),
      limit: z.number().int().min(1).max(50).default(8),
    }),
    run: async ({ query, limit }) => {
      const known = operationList.filter((each) => !isSecondName(each) && (!readOnly || isSafe(each)));
      const found = ranked(known, query);
      if (query.trim() === '') return { ours: [known.map(({ id }) => id).join(', ')] };
      if (found.length === 0) return { ours: ['No operation matches. An empty query lists all.'] };
      return { ours: found.slice(0, limit).map(lineOf) };
    },
  });
}

function lineOf(each: Operation): string {
  const notes = [isSafe(each) ? 'read' : 'write', ...(each.spends ? ['spends credits'] : [])].join(', ');
  return `${each.id} (${notes}): ${each.summary}. ${each.area}.`;
}

function ranked(known: readonly Operation[], query: string): Operation[] {
  const words = wordsIn(query);
  const scored = known.map((each) => {
    const name = spaced(`${each.id} ${each.summary}`);
    const rest = spaced(`${each.area} ${each.path} ${each.description ?? ''}`);
    const score = words.reduce((sum, word) => {
      // Matches at the start of a word only, because short words occur inside many others.
      const stem = ` ${word.length > 4 ? word.replace(/(ies|es|s|ing|ed)$/, '') : word}`;
      return sum + (name.includes(stem) ? 3 : 0) + (rest.includes(stem) ? 1 : 0);
    }, 0);
    const named = each.id.toLowerCase() === words.join('') || wordsIn(each.summary).join() === words.join();
    return { each, score: score + (named ? 10 : 0) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.each.summary.length - b.each.summary.length)
    .map(({ each }) => each);
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
}

/** Splits `listEvalCases` and `/eval-cases` into words. */
function spaced(text: string): string {
  return ` ${text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[^A-Za-z0-9]+/g, ' ')}`.toLowerCase();
}

const describeOperation = tool({
  name: 'describe_operation',
  title: 'Describe an operation',
  description: 'Describe an operation: the JSON Schema of its arguments, and an example.',
  input: z.strictObject({ operation }),
  run: async ({ operation: id }, { agent: { selection } }) => {
    const found = known(id);
    const writes = selection.readOnly ? 'nothing: this endpoint is read-only' : 'write_operation';
    const { readOnlyHint, destructiveHint } = annotationsOf(found);
    const streamed = streamedAnswer(found.response);
    const facts = {
      operation: found.id,
      callWith: readOnlyHint ? 'read_operation' : writes,
      does: wordsOf(found),
      http: `${found.method} /api/v1${found.path}`,
      access: found.access,
      ...(destructiveHint && { destructive: true }),
      ...(streamed && { answersWith: streamed.description }),
      arguments: inDefaultProject(inputSchemaOf(found)),
      ...(found.example !== undefined && !found.upload && { exampleBody: found.example }),
    };
    return { ours: [JSON.stringify(facts)] };
  },
});

/** Makes projectId optional. */
function inDefaultProject(schema: ObjectSchema): ObjectSchema {
  const { projectId } = schema.properties;
  if (!projectId || !schema.required?.includes('projectId')) return schema;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      projectId: { type: 'string', description: 'Project, by name or ID (default: the Default project).' },
    },
    required: schema.required.filter((name) => name !== 'projectId'),
  };
}

const readOperation = tool({
  name: 'read_operation',
  title: 'Call a read-only operation',
  description: 'Call a read-only operation by its ID.',
  hints: { openWorldHint: true },
  input: z.strictObject({ operation, arguments: given, answerSize }),
  run: async ({ operation: id, arguments: args = {} }, calling) => {
    const found = known(id);
    if (!isSafe(found)) throw notReadOnly(found, calling.agent);
    return callByName(found, args, calling);
  },
});

const writeOperation = tool({
  name: 'write_operation',
  title: 'Call an operation with side effects',
  description:
    'Call an operation that creates, updates, deletes or starts something, or calls tools of a server, by its ID. Some spend credits; see describe_operation.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({ operation, arguments: given, answerSize }),
  run: async ({ operation: id, arguments: args = {} }, calling) => callByName(known(id), args, calling),
});

function known(id: string): Operation {
  const found = operationNamed(id);
  if (found) return found;
  const near = nearest(
    id,
    operationList.map((each) => each.id),
  ).map(({ name }) => name);
  throw new Refusal('NOT_FOUND', `No operation ${named(id)}. Similar: ${near.slice(0, 5).join(', ')}`);
}
