import { expect, test } from 'vitest';
import { DrydockError } from '../../../../../client/index.ts';
import { bodyOf, changesOf, newCase, nextStepId, problemsOf, refusedFields } from './case-body.ts';

const prompt = { id: '1', kind: 'prompt', prompt: 'Hi' };

test('only what a case says is edited', () => {
  const one = { id: 'case_1', title: 'A', steps: [prompt], isNegative: false, models: [], iterations: 1 };
  expect(bodyOf({ ...one, createdAt: 1, updatedAt: 1 })).toEqual({ title: 'A', steps: [prompt] });
});

test('only what changed is sent, and what is left out is cleared', () => {
  const before = { title: 'A', steps: [prompt], kind: 'regression', models: [{ model: 'm' }] };
  expect(changesOf(before, { title: 'B', steps: [prompt] })).toEqual({ title: 'B', kind: null, models: [] });
  expect(changesOf(before, { ...before })).toEqual({});
});

test('checks inside steps are looked at, ids are unique, and some fields stay', () => {
  const steps = [
    prompt,
    { id: '1', kind: 'assert', assertion: { type: 'responseContains' } },
    { id: '3', kind: 'assert', assertion: { type: 'nothingLikeThis' } },
    { id: '4', kind: 'assert', assertion: { kind: 'textVisible', toolName: 'map', text: 'A' } },
  ];
  const problems = problemsOf({ title: 'A', steps }, { repetitions: 3 });
  expect(Object.fromEntries(problems)).toEqual({
    'steps.1.id': 'Another step has this ID',
    'steps.1.assertion.needle': 'Required',
    'steps.2.assertion.type': 'Must be a kind of check',
    repetitions: 'Cannot be removed; enter another value',
  });
  expect([...problemsOf(newCase, undefined).keys()]).toEqual(['title', 'steps.0.prompt']);
});

test('a refusal is shown at the field that it names', () => {
  const refusal = (code: string, message: string) =>
    new DrydockError(new Response(null, { status: 400 }), { code, message });
  const named = refusal('VALIDATION_ERROR', 'checks.list.0.role: A x check only observes');
  expect([...refusedFields(named)]).toEqual([['checks.list.0.role', 'A x check only observes']]);
  expect(refusedFields(refusal('VALIDATION_ERROR', 'Too many cases')).size).toBe(0);
  expect(refusedFields(refusal('CONFLICT', 'title: taken')).size).toBe(0);
});

test('a new step has an id of its own', () => {
  expect(nextStepId([{ id: '1' }, { id: '3' }])).toBe('4');
  expect(nextStepId([])).toBe('1');
});
