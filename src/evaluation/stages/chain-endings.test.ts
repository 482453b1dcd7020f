import { expect, test } from 'vitest';
import { absent, evidence, toolError } from '../../../test/support/evidence.ts';
import { chain, good, listed, plan, states } from '../../../test/support/stage-chain.ts';
import type { TrialEvidence } from '../evidence.ts';
import type { TrialOutcome } from '../outcome.ts';
import type { TrialPlan } from '../plan.ts';

/** Trials that ended early. */
const provider = { status: 'failed', modelFailure: { message: 'overloaded' } } as const;

test.each<[string, TrialPlan, Partial<TrialEvidence>, Partial<TrialOutcome>, string, string | undefined]>([
  [
    'the server could not be reached',
    plan(),
    {},
    { status: 'setup_failed', setupFailure: { phase: 'connection', attributed: 'server' } },
    '!connectFailed - - - - -',
    'setup',
  ],
  [
    'its tools could not be listed',
    plan(),
    {},
    { status: 'setup_failed', setupFailure: { phase: 'discovery', attributed: 'server' } },
    'ok !toolsListFailed - - - -',
    'setup',
  ],
  [
    'we could not reach it',
    plan(),
    {},
    { status: 'setup_failed', setupFailure: { phase: 'connection', attributed: 'ours' } },
    'setupAborted setupAborted setupAborted setupAborted setupAborted setupAborted',
    'setup',
  ],
  [
    'nobody knows why',
    plan(),
    {},
    { status: 'setup_failed', setupFailure: { phase: 'discovery', attributed: 'unknown' } },
    'ok setupAborted setupAborted setupAborted setupAborted setupAborted',
    'setup',
  ],
  [
    'the provider failed before the call',
    plan(),
    listed,
    provider,
    'ok ok providerError providerError providerError providerError',
    'setup',
  ],
  [
    'the provider failed after the call',
    plan({ checks: [{ type: 'responseContains', needle: 'Kiel' }] }),
    { ...good, finalText: '' },
    provider,
    'ok ok ok ok ok providerError',
    'setup',
  ],
  [
    'the provider failed, and so had a tool',
    plan(),
    { ...good, toolErrors: [toolError('find', 'x')] },
    provider,
    'ok ok ok ok !toolError -',
    'serverData',
  ],
  [
    'the provider stopped the answer',
    plan({ checks: [{ type: 'responseContains', needle: 'Bonn' }] }),
    good,
    { status: 'failed', finishReason: 'content-filter' },
    'ok ok ok ok ok providerError',
    'setup',
  ],
  [
    'the model ran out of tokens',
    plan(),
    listed,
    { status: 'failed', finishReason: 'length' },
    'ok ok lifecycleStopped lifecycleStopped lifecycleStopped lifecycleStopped',
    undefined,
  ],
  [
    'time ran out',
    plan(),
    listed,
    { status: 'timed_out' },
    'ok ok lifecycleStopped lifecycleStopped lifecycleStopped lifecycleStopped',
    undefined,
  ],
  [
    'it was called off',
    plan(),
    { ...evidence(), inventory: absent, declarations: absent },
    { status: 'cancelled' },
    'lifecycleStopped lifecycleStopped lifecycleStopped lifecycleStopped lifecycleStopped lifecycleStopped',
    undefined,
  ],
])('%s', (_title, planned, happened, over, wanted, category) => {
  const grade = chain(planned, happened, over);
  expect(states(grade)).toBe(wanted);
  expect(grade.failureCategory).toBe(category);
});
