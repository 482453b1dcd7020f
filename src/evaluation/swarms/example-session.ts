import type { Criterion, SessionFacts } from './facts.ts';

/** For tests: a completed session without graders. */
export function exampleSession(over: Partial<SessionFacts> = {}): SessionFacts {
  return {
    sessionId: 'ses_1',
    runId: 'run_1',
    journeyId: 'jny_1',
    journeyName: 'Buy a ticket',
    waveId: 'wave_1',
    persona: { id: 'per_1', name: 'Commuter' },
    target: { kind: 'environment', id: 'env_1', label: 'Staging', modelId: 'm' },
    sessionIndex: 0,
    status: 'succeeded',
    errorCode: null,
    turns: 3,
    turnCapReached: false,
    criteria: null,
    judge: null,
    tools: [{ serverId: 'srv_1', serverName: 'Trains', toolName: 'find', calls: 2, errors: 0 }],
    unknownTools: [],
    outputTruncated: false,
    ...over,
  };
}

export const exampleRubric: Criterion[] = [
  { criterionId: 'found', label: 'Finds a train', kind: 'toolCalledAtLeastOnce', role: 'required' },
  { criterionId: 'clean', label: null, kind: 'noToolErrors', role: 'advisory' },
];

/** One letter for each criterion of the example rubric: passed, failed or error. */
export function exampleCriteria(
  letters: string,
  status: 'pending' | 'completed' | 'failed' = 'completed',
): NonNullable<SessionFacts['criteria']> {
  const results = Array.from(letters, (letter, at) => ({
    ...(exampleRubric[at] as Criterion),
    status: letter === 'e' ? ('error' as const) : ('scored' as const),
    passed: letter === 'p',
  }));
  return { status, results };
}
