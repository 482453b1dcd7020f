import type { ToolFacts } from '../../tool-facts.ts';

type Parameter = ToolFacts['parameters'][number];

const names = new Set([
  'action',
  'command',
  'httpmethod',
  'method',
  'op',
  'operation',
  'operationtype',
  'verb',
]);
const reads = new Set([
  'describe',
  'fetch',
  'find',
  'get',
  'head',
  'list',
  'query',
  'read',
  'search',
  'show',
  'view',
]);
const writes = new Set([
  'add',
  'create',
  'delete',
  'drop',
  'edit',
  'insert',
  'patch',
  'post',
  'put',
  'remove',
  'send',
  'set',
  'update',
  'write',
]);

/** The parameter that says what a tool is to do, if it has such. */
function operationOf({ parameters }: ToolFacts): Parameter | undefined {
  return parameters.find(({ name }) => names.has(name.toLowerCase().replaceAll(/[^a-z.]/g, '')));
}

/** One tool that both reads and writes, by a choice of its caller. */
export function mixesReadsAndWrites(tool: ToolFacts): boolean {
  const words = (operationOf(tool)?.choices ?? []).map(firstWord);
  return words.some((word) => reads.has(word)) && words.some((word) => writes.has(word));
}

/** What it does is any text. */
export function takesAnyOperation(tool: ToolFacts): boolean {
  const parameter = operationOf(tool);
  return parameter !== undefined && parameter.choices === undefined && /^$|string/.test(parameter.type);
}

function firstWord(choice: string): string {
  return (/^[A-Z]+$/.test(choice) ? choice : (/^[A-Za-z][a-z]*/.exec(choice)?.[0] ?? '')).toLowerCase();
}
