import { describe, expect, test } from 'vitest';
import { operations as consoleOperationList } from '../../contract/console/index.ts';
import { operationList } from '../../contract/index.ts';
import { operations as visitOperationList } from '../../contract/visit/index.ts';
import { bodyLimitsOf } from './body-limits.ts';
import { readInput } from './input.ts';

const operations = [...operationList, ...consoleOperationList, ...visitOperationList].filter(
  ({ body }) => body,
);

const withKeys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));

function nested(levels: number): object {
  let value = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

/** JSON limits are checked before the schema, on every surface. */
describe.each(operations)('the body of $id', (operation) => {
  const { keys, elements, depth } = bodyLimitsOf(operation);

  test.each([
    ['an object with too many keys', withKeys(keys + 1), /: an object with more than 10,000 keys$/],
    ['too many values', { list: Array.from({ length: elements }, () => 1) }, /: too many values\./],
    ['many objects', { list: Array.from({ length: elements / 2 }, () => ({ a: 1 })) }, /: too many values\./],
    ['too many levels', nested(depth), /: nested deeper than 64 levels$/],
  ])('with %s is refused', (_, extra, problem) => {
    const body = { ...(operation.example as object | undefined), extra };
    expect(() => readInput(operation, {}, { body })).toThrow(problem);
  });
});
