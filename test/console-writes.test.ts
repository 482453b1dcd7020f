import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { consoleCallables } from '../src/surfaces/client/console-operations.ts';
import { callables } from '../src/surfaces/client/operations.ts';
import { staleAfter } from '../src/surfaces/console/app/api/writes.ts';

const operations = new Map([...callables, ...consoleCallables].map((one) => [one.id, one]));

function called(): Set<string> {
  const app = new URL('../src/surfaces/console/app/', import.meta.url);
  const sources = readdirSync(app, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(pages|shell)\/.*\.tsx?$/.test(path))
    .map((path) => new URL(path, app));
  const calls = sources.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/\b(?:api|people)\.(\w+)/g),
  ]);
  return new Set(calls.map(([, id]) => id as string));
}

test('every write that a page calls says which reads it makes stale', () => {
  const writes = [...called()].filter((id) => {
    const operation = operations.get(id);
    return operation && operation.repeatable !== 'always' && operation.answers !== 'events';
  });
  expect(writes.filter((id) => !(id in staleAfter)).toSorted()).toEqual([]);
});

test('the table names writes that exist and are called, and reads that exist', () => {
  const calls = called();
  expect(Object.keys(staleAfter).filter((id) => !calls.has(id))).toEqual([]);
  const reads = Object.values(staleAfter).flat();
  expect(reads.filter((id) => !operations.has(id))).toEqual([]);
});
