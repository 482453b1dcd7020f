import { expect, test } from 'vitest';
import { caseSchema, checkSchemas, root } from '../../pages/suites/editor/schemas.ts';
import { validate } from './validate.ts';

const prompt = { id: '1', kind: 'prompt', prompt: 'Hi' };

test.each<[string, unknown, Record<string, string>]>([
  ['a whole case', { title: 'A', steps: [prompt], checks: { list: [{ type: 'noToolErrors' }] } }, {}],
  ['without its parts', {}, { title: 'Required', steps: 'Required' }],
  [
    'of the wrong size',
    { title: '', steps: [], repetitions: 11 },
    {
      title: 'Must have at least 1 character',
      steps: 'Must have at least 1 item',
      repetitions: 'Must be at most 10',
    },
  ],
  [
    'an unknown kind of step',
    { title: 'A', steps: [{ id: '1', kind: 'sing' }] },
    { 'steps.0.kind': 'Must be "prompt" or "toolCall" or "interact" or "assert"' },
  ],
  [
    'of the right kind, with what it lacks',
    { title: 'A', steps: [{ id: '1', kind: 'prompt' }] },
    { 'steps.0.prompt': 'Required' },
  ],
  ['an unknown field', { title: 'A', steps: [prompt], tittle: 'B' }, { tittle: 'Unknown field' }],
  ['what may be null', { title: 'A', steps: [prompt], checks: null }, {}],
  [
    'a check inside',
    { title: 'A', steps: [prompt], checks: { list: [{ type: 'responseContains', needle: 5 }] } },
    { 'checks.list.0.needle': 'Must be a string' },
  ],
  ['letters that cannot be', { title: 'A\u0007', steps: [prompt] }, { title: 'Must match ^\\P{Cc}*$' }],
])('%s', (_, value, problems) => {
  expect(Object.fromEntries(validate(caseSchema, value, root))).toEqual(problems);
});

test('numbers are whole where they have to be', () => {
  const schema = checkSchemas['toolCallCountUnder'] ?? {};
  expect([...validate(schema, { type: 'toolCallCountUnder', count: 1.5 }, root)]).toEqual([
    ['count', 'Must be an integer'],
  ]);
});

test('what refers to itself is looked at as deep as it goes', () => {
  const tree = { $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } };
  const value = { next: { next: { next: 3 } } };
  expect([...validate({ $ref: '#/$defs/node' }, value, tree)]).toEqual([
    ['next.next.next', 'Must be an object'],
  ]);
});
