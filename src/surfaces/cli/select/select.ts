import { OperatorProblem } from '../../../platform/problem.ts';
import { type Node, parse } from './parse.ts';

/** Evaluates a `--jq` expression, a subset of jq. */
export function select(expression: string, value: unknown): unknown[] {
  return [...run(parse(expression), value)];
}

function* run(node: Node, value: unknown): Generator {
  switch (node.kind) {
    case 'identity':
      return void (yield value);
    case 'literal':
      return void (yield node.value);
    case 'field':
      for (const inner of run(node.of, value)) yield* field(inner, node.name, node.quiet);
      return;
    case 'index':
      for (const inner of run(node.of, value)) yield* index(inner, node.at, node.quiet);
      return;
    case 'each':
      for (const inner of run(node.of, value)) yield* each(inner, node.quiet);
      return;
    case 'pipe':
      for (const inner of run(node.from, value)) yield* run(node.to, inner);
      return;
    case 'comma':
      for (const part of node.parts) yield* run(part, value);
      return;
    case 'array':
      return void (yield [...run(node.of, value)]);
    case 'object':
      return void (yield* objects(node.fields, value));
    case 'compare':
      for (const right of run(node.right, value))
        for (const left of run(node.left, value)) yield compared(node.operator, left, right);
      return;
    case 'select':
      for (const kept of run(node.condition, value)) if (isTrue(kept)) yield value;
      return;
    case 'length':
      return void (yield lengthOf(value));
    case 'keys':
      return void (yield keysOf(value));
  }
}

function* field(value: unknown, name: string, quiet: boolean): Generator {
  if (value === null || value === undefined) yield null;
  else if (isFields(value)) yield Object.hasOwn(value, name) ? value[name] : null;
  else if (!quiet) throw unfit(`Cannot read field ${name} of ${kindOf(value)}`);
}

function* index(value: unknown, at: number, quiet: boolean): Generator {
  if (value === null || value === undefined) yield null;
  else if (Array.isArray(value)) yield (value as unknown[]).at(at) ?? null;
  else if (!quiet) throw unfit(`Cannot read [${at}] of ${kindOf(value)}`);
}

function* each(value: unknown, quiet: boolean): Generator {
  if (Array.isArray(value)) yield* value as unknown[];
  else if (isFields(value)) yield* Object.values(value);
  else if (!quiet) throw unfit(`Cannot iterate over ${kindOf(value)}`);
}

/** One object for every combination of the field values. */
function* objects(
  fields: { name: string; value: Node }[],
  value: unknown,
): Generator<Record<string, unknown>> {
  const [head, ...rest] = fields;
  if (!head) return void (yield {});
  for (const inner of run(head.value, value))
    for (const others of objects(rest, value)) yield { [head.name]: inner, ...others };
}

function compared(operator: string, left: unknown, right: unknown): boolean {
  switch (operator) {
    case 'and':
      return isTrue(left) && isTrue(right);
    case 'or':
      return isTrue(left) || isTrue(right);
    case '==':
      return JSON.stringify(left) === JSON.stringify(right);
    case '!=':
      return JSON.stringify(left) !== JSON.stringify(right);
    default:
      return ordered(operator, left, right);
  }
}

function ordered(operator: string, left: unknown, right: unknown): boolean {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return false;
  const [a, b] = [left, right as typeof left];
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

function lengthOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'string') return Array.from(value).length;
  if (typeof value === 'number') return Math.abs(value);
  if (typeof value === 'object') return Object.keys(value).length;
  throw unfit(`${kindOf(value)} has no length`);
}

function keysOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.map((_, i) => i);
  if (isFields(value)) return Object.keys(value).toSorted();
  throw unfit(`${kindOf(value)} has no keys`);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function unfit(problem: string): OperatorProblem {
  return new OperatorProblem(`--jq: ${problem}`);
}
