import { expect, test } from 'vitest';
import { sessionStatusOf } from './states.ts';

type Verdict = NonNullable<Parameters<typeof sessionStatusOf>[1]>;

const graded = (verdict: Verdict['verdict'], state: Verdict['grading']['state'] = 'settled') =>
  ({
    verdict,
    grading: { state },
    graders: { criteria: 'scored', judge: 'notConfigured' },
  }) as Verdict;

test.each([
  ['pending', null, undefined, 'pending'],
  ['running', null, undefined, 'running'],
  ['succeeded', null, graded('passed'), 'passed'],
  ['succeeded', null, graded('failed'), 'failed'],
  ['succeeded', null, graded('inconclusive'), 'inconclusive'],
  ['succeeded', null, graded('notEstablished', 'running'), 'grading'],
  ['succeeded', null, graded('notEstablished', 'notRequested'), 'notEstablished'],
  ['succeeded', null, undefined, 'notEstablished'],
  // An aborted session has no verdict, so its status takes precedence.
  ['failed', 'session_failed', graded('inconclusive'), 'setupFailed'],
  ['failed', 'canceled', undefined, 'cancelled'],
  ['rate_limited', 'rate_limited', undefined, 'timedOut'],
] as const)(
  'a session that is %s (%s) is shown as it was graded, else as it ran',
  (status, code, verdict, state) => {
    expect(sessionStatusOf({ status, errorCode: code }, verdict).state).toBe(state);
  },
);
