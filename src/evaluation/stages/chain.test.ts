import { expect, test } from 'vitest';
import { absent, call, evidence, render, toolError } from '../../../test/support/evidence.ts';
import { chain, find, good, listed, plan, states } from '../../../test/support/stage-chain.ts';
import type { TrialEvidence } from '../evidence.ts';
import { defaultMatchOptions } from '../matching/options.ts';
import type { TrialOutcome } from '../outcome.ts';
import type { TrialPlan } from '../plan.ts';

const pinned: TrialPlan['turns'] = [{ promptIndex: 0, kind: 'toolCall', expected: [] }];

test.each<[string, TrialPlan, Partial<TrialEvidence>, Partial<TrialOutcome>, string, string | undefined]>([
  ['all well', plan(), good, {}, 'ok ok ok ok ok judgeNotRequested', undefined],
  [
    'all well, with a check',
    plan({ checks: [{ type: 'responseContains', needle: 'Kiel' }] }),
    good,
    {},
    'ok ok ok ok ok ok',
    undefined,
  ],
  ['a judge is content', plan(), good, { judge: 'passed' }, 'ok ok ok ok ok ok', undefined],
  ['a judge is not', plan(), good, { judge: 'failed' }, 'ok ok ok ok ok !judgeObserved', 'userValue'],
  ['a judge could not judge', plan(), good, { judge: 'error' }, 'ok ok ok ok ok judgeFailed', undefined],
  [
    'no tool was expected or called',
    plan({ expected: [] }),
    { ...good, toolCalls: [] },
    {},
    'ok ok ok / / judgeNotRequested',
    undefined,
  ],
  ['a call is missing', plan(), { ...good, toolCalls: [] }, {}, 'ok ok !missingToolCall - - -', 'selection'],
  [
    'another tool was called',
    plan(),
    { ...good, toolCalls: [call('x')] },
    {},
    'ok ok !missingToolCall - - -',
    'selection',
  ],
  [
    'too many were called',
    plan({ match: { ...defaultMatchOptions, extra: 0 } }),
    { ...good, toolCalls: [find, call('x')] },
    {},
    'ok ok !unexpectedToolCall - - -',
    'selection',
  ],
  [
    'a negative case called',
    plan({ isNegative: true }),
    good,
    {},
    'ok ok !unexpectedToolCall - - -',
    'selection',
  ],
  [
    'a negative case did not',
    plan({ isNegative: true }),
    { ...listed, finalText: 'No.' },
    {},
    'ok ok ok ok noEvidenceCaptured judgeNotRequested',
    undefined,
  ],
  [
    'other arguments',
    plan(),
    { ...good, toolCalls: [call('find', { city: 'Bonn' })] },
    {},
    'ok ok ok !argumentMismatch - -',
    'arguments',
  ],
  [
    'a protocol error',
    plan(),
    { ...good, toolErrors: [toolError('find', 'x', { kind: 'protocol', code: -32602 })] },
    {},
    'ok ok ok !protocolError - -',
    'serverData',
  ],
  [
    'a transport error',
    plan(),
    { ...good, toolErrors: [toolError('find', 'x', { kind: 'protocol', code: -32001 })] },
    {},
    'ok ok ok !protocolError - -',
    'setup',
  ],
  [
    'a tool error',
    plan(),
    { ...good, toolErrors: [toolError('find', 'x')] },
    {},
    'ok ok ok ok !toolError -',
    'serverData',
  ],
  [
    'a tool error that is allowed',
    plan({ failOnToolError: false }),
    { ...good, toolErrors: [toolError('find', 'x')] },
    {},
    'ok ok ok ok !toolError -',
    'serverData',
  ],
  [
    'a protocol error that is allowed',
    plan({ failOnToolError: false }),
    { ...good, toolErrors: [toolError('find', 'x', { kind: 'protocol', code: -32602 })] },
    {},
    'ok ok ok !protocolError - -',
    'serverData',
  ],
  [
    'the connection broke',
    plan(),
    { ...good, toolErrors: [toolError('find', 'x', { kind: 'protocol' })] },
    {},
    'ok ok ok !protocolError - -',
    'setup',
  ],
  [
    'the model called a tool that is not there',
    plan(),
    {
      ...good,
      toolCalls: [find, call('ghost', {}, { invalid: 'There is no tool of this name.', unknownTool: true })],
      toolErrors: [toolError('ghost', 'There is no tool of this name.', { kind: 'protocol' })],
    },
    {},
    'ok ok !unexpectedToolCall - - -',
    'selection',
  ],
  [
    'the model wrote arguments that cannot be read',
    plan({ failOnToolError: false }),
    {
      ...good,
      toolCalls: [find, call('other', {}, { invalid: 'The arguments are not valid JSON.', serverId: 's' })],
      toolErrors: [toolError('other', 'The arguments are not valid JSON.', { kind: 'protocol' })],
    },
    {},
    'ok ok ok !argumentMismatch - -',
    'arguments',
  ],
  [
    'a description is missing',
    plan({ checks: [{ type: 'toolDescriptionsPresent' }] }),
    good,
    {},
    'ok !predicateFailed - - - -',
    'metadata',
  ],
  [
    'a schema is missing',
    plan({ checks: [{ type: 'toolInputSchemasWellFormed' }] }),
    good,
    {},
    'ok ok ok !predicateFailed - -',
    'metadata',
  ],
  [
    'the wrong one first',
    plan({ checks: [{ type: 'firstToolWas', toolName: 'x' }] }),
    good,
    {},
    'ok ok !unexpectedToolCall - - -',
    'selection',
  ],
  [
    'never called, says a check',
    plan({ checks: [{ type: 'toolCalledAtLeastOnce', toolName: 'x' }] }),
    good,
    {},
    'ok ok !missingToolCall - - -',
    'selection',
  ],
  [
    'called otherwise, says a check',
    plan({ checks: [{ type: 'toolCalledWith', toolName: 'find', args: { args: { city: 'Bonn' } } }] }),
    good,
    {},
    'ok ok ok !argumentMismatch - -',
    'arguments',
  ],
  [
    'a result is too large',
    plan({ checks: [{ type: 'toolResultContains', needle: 'Bonn' }] }),
    good,
    {},
    'ok ok ok ok !predicateFailed -',
    'serverData',
  ],
  [
    'the answer is wrong',
    plan({ checks: [{ type: 'responseContains', needle: 'Bonn' }] }),
    good,
    {},
    'ok ok ok ok ok !predicateFailed',
    'userValue',
  ],
  [
    'nobody understands the check',
    plan({ checks: [{ type: 'unheard' }] }),
    good,
    {},
    'ok ok ok ok ok !predicateFailed',
    'userValue',
  ],
  [
    'the evidence is missing',
    plan({ checks: [{ type: 'toolLatencyUnder', ms: 5 }] }),
    good,
    {},
    'ok ok ok ok evaluatorError judgeNotRequested',
    'evaluator',
  ],
  ['a pinned call', plan({ turns: pinned }), { ...listed, ...good }, {}, 'ok ok / ok ok /', undefined],
  [
    'a widget',
    plan({ turns: pinned, checks: [{ type: 'widgetRendered' }] }),
    { ...good, renders: [render('find', 'rendered')] },
    {},
    'ok ok / ok ok judgeNotRequested',
    undefined,
  ],
  [
    'a widget that was not rendered',
    plan({ turns: pinned, checks: [{ type: 'widgetRendered' }] }),
    { ...good, renders: [render('find', 'mount_failed')] },
    {},
    'ok ok / ok !renderFailed -',
    'serverData',
  ],
  [
    'a widget without a browser',
    plan({ turns: pinned, checks: [{ type: 'widgetRendered' }] }),
    { ...good, renders: [render('find', 'browser_unavailable')] },
    {},
    'ok ok / ok evaluatorError judgeNotRequested',
    'evaluator',
  ],
  [
    'nothing was recorded',
    plan({ expected: [] }),
    { ...evidence(), inventory: absent, declarations: absent },
    {},
    'noEvidenceCaptured noEvidenceCaptured ok / / judgeNotRequested',
    undefined,
  ],
  [
    'the connection is implied',
    plan(),
    { ...good, inventory: absent, declarations: absent },
    {},
    'ok ok ok ok ok judgeNotRequested',
    undefined,
  ],
])('%s', (_title, planned, happened, over, wanted, category) => {
  const grade = chain(planned, happened, over);
  expect(states(grade)).toBe(wanted);
  expect(grade.failureCategory).toBe(category);
});

test('the evidence of a failure is that of its stage, and not too much of it', () => {
  const toolErrors = Array.from({ length: 9 }, (_, at) =>
    toolError('find', `${at} ${'x'.repeat(900)}`, { toolCallId: `${at}`, promptIndex: at }),
  );
  const checks = [{ type: 'responseContains', needle: 'Bonn' }];
  const { stageResults, firstFailedStage } = chain(plan({ checks }), { ...good, toolErrors });
  expect(firstFailedStage).toBe('response');
  const row = stageResults[4]?.evidence;
  expect(row?.spanIds).toEqual(['tool-0', 'tool-1', 'tool-2', 'tool-3', 'tool-4']);
  expect(row?.promptIndexes).toEqual([0, 1, 2, 3, 4]);
  expect(row?.predicateReasons?.map(({ length }) => length)).toEqual([500, 500, 500, 500, 500]);
});
