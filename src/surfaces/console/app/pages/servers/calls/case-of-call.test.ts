import { expect, test } from 'vitest';
import { CaseCreateRequest } from '../../../../../../contract/eval-cases.ts';
import { caseOfCall } from './case-of-call.ts';

const call = { toolName: 'inspect_hull', parameters: { ship: 'Albatross' } };
const given = { title: 'Albatross', prompt: 'Inspect the Albatross.', contains: ' seaworthy ' };

test('a case that calls has to answer without an error, with the words that were asked for', () => {
  const made = caseOfCall(call, 'harbour', { ...given, kind: 'call' });
  expect(CaseCreateRequest.parse(made)).toMatchObject({
    steps: [{ kind: 'toolCall', serverName: 'harbour', arguments: { ship: 'Albatross' } }],
    checks: { list: [{ type: 'noToolErrors' }, { type: 'toolResultContains', needle: 'seaworthy' }] },
  });
});

test('a case that prompts wants the same call from a model', () => {
  const made = caseOfCall(call, 'harbour', { ...given, contains: '', kind: 'prompt' });
  expect(CaseCreateRequest.parse(made)).toMatchObject({
    steps: [{ kind: 'prompt', prompt: 'Inspect the Albatross.' }],
    checks: { list: [{ type: 'toolCalledWith', args: { args: { ship: 'Albatross' } } }] },
  });
});
