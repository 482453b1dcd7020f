import { expect, test } from 'vitest';
import { exampleCriteria, exampleSession } from '../swarms/example-session.ts';
import type { SessionFacts } from '../swarms/facts.ts';
import { journeyDetectors, observeJourneys } from './journey-detectors.ts';
import type { Observation } from './observe.ts';

const judged = (passed: boolean) => ({ status: 'scored' as const, passed });
const noCalls = { tools: [] };
const erring = (errors: number) => ({
  tools: [{ serverId: 'srv_1', serverName: 'Trains', toolName: 'find', calls: 2, errors }],
});

/** A wave of one run. */
function wave(...sessions: Partial<SessionFacts>[]): SessionFacts[] {
  return sessions.map((over, at) =>
    exampleSession({ sessionId: `ses_${String(at).padStart(3, '0')}`, ...over }),
  );
}

function found(detector: string, sessions: readonly SessionFacts[]): Observation | undefined {
  const all = observeJourneys(sessions).filter((one) => one.detector === detector);
  expect(all.length).toBeLessThanOrEqual(1);
  return all[0];
}

const clean = {};
const limited = { status: 'rate_limited', errorCode: 'rate_limited', ...noCalls } as const;
const broke = { status: 'failed', errorCode: 'session_failed' } as const;
const advisory = (letter: string) => ({
  criteria: { status: 'completed' as const, results: exampleCriteria(`p${letter}`).results.slice(1) },
});
const required = (letter: string) => ({ criteria: exampleCriteria(letter) });
const five = <Value>(value: Value): Value[] => Array<Value>(5).fill(value);

// Three waves for each detector: one that fires it, one that covers it without firing, one that does not cover it.
test.each<[string, string, SessionFacts[], SessionFacts[], SessionFacts[]]>([
  [
    'criterion_failed',
    'criterion:jny_1/found',
    wave(required('f'), ...five(required('p'))),
    wave(required('p')),
    wave(required('e'), { criteria: exampleCriteria('f', 'failed') }, { ...limited, ...required('f') }),
  ],
  [
    'criterion_failed',
    'criterion:jny_1/clean',
    wave(advisory('f'), advisory('p')),
    wave(advisory('f'), ...five(advisory('p'))),
    wave(advisory('e')),
  ],
  [
    'goal_missed',
    'journey:jny_1',
    wave({ judge: judged(false) }, ...five({ judge: judged(true) }).slice(1)),
    wave({ judge: judged(false) }, ...five({ judge: judged(true) })),
    wave({ judge: { status: 'errored' } }, { judge: { status: 'pending' } }, clean),
  ],
  [
    'execution_failed',
    'environment:env_1',
    wave(broke, ...five(clean)),
    wave(clean),
    wave(
      limited,
      { status: 'failed', errorCode: 'stale_runner' },
      { status: 'failed', errorCode: 'canceled' },
    ),
  ],
  [
    'provider_limited',
    'environment:env_1',
    wave(limited, ...five(clean)),
    wave(clean),
    wave({ ...limited, errorCode: 'spend_cap_exceeded' }, { status: 'running' }),
  ],
  [
    'tool_errored',
    'tool:srv_1/find',
    wave(erring(1), erring(0)),
    wave(erring(1), ...five(erring(0))),
    wave(noCalls, { tools: [{ ...erring(1).tools[0], calls: 0 } as SessionFacts['tools'][0]] }),
  ],
  [
    'unknown_tool_called',
    'journey:jny_1',
    wave({ unknownTools: ['buy'] }, clean),
    wave(clean),
    wave({ ...limited, unknownTools: ['buy'] }),
  ],
  ['no_tool_called', 'journey:jny_1', wave(noCalls, clean), wave(clean), wave(noCalls, noCalls)],
  [
    'turn_cap_reached',
    'journey:jny_1',
    wave({ turnCapReached: true, judge: judged(false) }, clean),
    wave({ turnCapReached: true, judge: judged(true), criteria: exampleCriteria('f') }),
    wave({ turnCapReached: true, judge: { status: 'pending' } }, { turnCapReached: true }, broke),
  ],
])('%s fires, clears and is not covered: %s', (detector, subject, firing, clear, uncovered) => {
  expect(found(detector, firing)).toMatchObject({ fingerprint: `${detector}:${subject}`, fires: true });
  expect(found(detector, clear)).toMatchObject({ fingerprint: `${detector}:${subject}`, fires: false });
  expect(found(detector, uncovered)).toBeUndefined();
});

test('every detector is in the table above', () => {
  expect(journeyDetectors.map(({ name }) => name)).toEqual([
    'criterion_failed',
    'goal_missed',
    'execution_failed',
    'provider_limited',
    'tool_errored',
    'unknown_tool_called',
    'no_tool_called',
    'turn_cap_reached',
  ]);
});

test('sessions are counted once, named within bounds, and in one order', () => {
  const twice = { tools: [...erring(1).tools, ...erring(0).tools] };
  const sessions = wave(...Array<typeof twice>(25).fill(twice), ...Array<object>(15).fill(clean));
  const observation = found('tool_errored', sessions);
  expect(observation).toMatchObject({ affected: 25, total: 40, metric: 0.625, evidenceTruncated: true });
  expect(observation?.evidenceSessionIds).toHaveLength(20);
  expect(observation?.contrastSessionIds).toEqual(Array.from({ length: 10 }, (_, at) => `ses_0${25 + at}`));
  expect(observeJourneys(sessions.toReversed())).toEqual(observeJourneys(sessions));
});

test('names that servers choose are bounded, can be stored and stay apart', () => {
  const names = ['x'.repeat(9000), `${'x'.repeat(9000)}y`, 'a\0', 'a\ud800', 'a\ud801', 'plain'];
  const tools = names.map((toolName) => ({
    serverId: 'srv_1',
    serverName: toolName,
    toolName,
    calls: 1,
    errors: 1,
  }));
  const observations = observeJourneys(wave({ tools })).filter(({ detector }) => detector === 'tool_errored');
  expect(new Set(observations.map(({ fingerprint }) => fingerprint)).size).toBe(names.length);
  for (const { fingerprint, subject } of observations) {
    expect(fingerprint.length).toBeLessThanOrEqual(300);
    expect(subject.label.length).toBeLessThanOrEqual(200);
    expect(`${fingerprint}${subject.label}`).not.toMatch(/\0|\p{Surrogate}/u);
  }
  const [tool] = wave({ tools: [{ serverId: null, serverName: 'a/b', toolName: 'c', calls: 1, errors: 0 }] });
  const [other] = wave({
    tools: [{ serverId: null, serverName: 'a', toolName: 'b/c', calls: 1, errors: 0 }],
  });
  const idOf = (session: SessionFacts | undefined) =>
    found('tool_errored', session ? [session] : [])?.subject.id;
  expect(idOf(tool)).not.toBe(idOf(other));
});
