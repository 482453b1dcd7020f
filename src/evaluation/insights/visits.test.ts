import fc from 'fast-check';
import { expect, test } from 'vitest';
import { studySignals, windowInsights } from './candidates.ts';
import { type Observation, talliesOf } from './observe.ts';
import { readingRules, readingsOfVisit, visitObservations } from './visit-detectors.ts';
import { factsOfVisit, type VisitFacts, type VisitSession, type VisitTurn, windowAt } from './visits.ts';

const window = windowAt(Date.UTC(2026, 0, 7));
const now = window.from + 3_600_000;
const idleAfter = 600_000;
const analysis = { ...window, now, idleAfter };
const study = { id: 'std_1', name: 'Harbour desk' };

interface Visit extends Partial<VisitSession> {
  said?: Partial<VisitTurn>[];
}

const fine: VisitTurn = { asked: 'Which ships are here?', answered: true, durationMs: 900, calls: [] };
const called = (ok: boolean, toolName = 'find') => ({ calls: [{ toolName, serverId: 'srv_1', ok }] });

/** Sessions are over by default: their last activity was `idleAfter` ago. */
function visits(...sessions: Visit[]): VisitFacts[] {
  return sessions.map(({ said = [{}], ...over }, at) =>
    factsOfVisit(
      {
        sessionId: `ses_${String(at).padStart(3, '0')}`,
        rating: null,
        ratedAt: null,
        lastActivityAt: now - idleAfter,
        ...over,
      },
      said.map((turn) => ({ ...fine, ...turn })),
      analysis,
    ),
  );
}

/** The observations of sessions, without a database. */
function observeVisits(of: typeof study, facts: readonly VisitFacts[]): Observation[] {
  return visitObservations(talliesOf(facts.flatMap((visit) => readingsOfVisit(of, visit))));
}

function found(detector: string, sessions: Visit[]) {
  const all = observeVisits(study, visits(...sessions)).filter((one) => one.detector === detector);
  expect(all.length).toBeLessThanOrEqual(1);
  return all[0];
}

const twice = <Value>(value: Value): Value[] => [value, value];
const again = { said: twice({ asked: 'Please show me the ships in the dock' }) };
const other = { said: [{}, { asked: 'Who is the harbour master?' }] };
const rated = (rating: number, ratedAt = now) => ({ rating, ratedAt });
const stillOn = { lastActivityAt: now - idleAfter + 1 };
const slow = { said: [{ durationMs: 15_001 }] };

// Sessions for each detector: some that fire it, some that cover it without firing, some that do not cover it.
test.each<[string, string, Visit[], Visit[], Visit[]]>([
  [
    'tool_errored',
    'tool:srv_1/find',
    twice({ said: [called(true), called(false)] }),
    [{ said: [called(false)] }, { said: [called(true)] }],
    [{}],
  ],
  ['ask_repeated', 'study:std_1', twice(again), [again, other], [{}]],
  [
    'session_abandoned',
    'study:std_1',
    twice({ said: [called(false)] }),
    [{ said: [called(false)] }, { said: [called(false), {}] }],
    [
      { said: [called(false)], ...stillOn },
      { said: [called(false)], lastActivityAt: window.to },
    ],
  ],
  ['turn_slow', 'study:std_1', twice(slow), [slow, { said: [{ durationMs: 15_000 }] }], [{ said: [] }]],
  ['thumbs_down', 'study:std_1', [rated(-1), rated(1)], [rated(1)], [{}, rated(-1, window.from - 1)]],
])('%s', (detector, subject, firing, clear, unrelated) => {
  expect(found(detector, firing)).toMatchObject({ fingerprint: `${detector}:${subject}`, fires: true });
  expect(found(detector, clear)).toMatchObject({ fires: false, total: clear.length });
  expect(found(detector, unrelated)).toBeUndefined();
});

test('a change of what is read from a session increases the number of the rules', () => {
  const examples = [
    again,
    other,
    slow,
    rated(-1),
    rated(1),
    { said: [called(false)] },
    { said: [] },
    stillOn,
  ];
  const read = visits(...examples).map((visit) =>
    readingsOfVisit(study, visit)
      .map(({ detector, happened, certain }) => `${detector} ${happened ? (certain ? 2 : 1) : 0}`)
      .join(', '),
  );
  // If this changes, stored readings no longer match: increase the number.
  expect([readingRules, ...read]).toEqual([
    1,
    'ask_repeated 1, session_abandoned 0, turn_slow 0',
    'ask_repeated 0, session_abandoned 0, turn_slow 0',
    'session_abandoned 0, turn_slow 1',
    'session_abandoned 0, turn_slow 0, thumbs_down 2',
    'session_abandoned 0, turn_slow 0, thumbs_down 0',
    'tool_errored 1, session_abandoned 1, turn_slow 0',
    '',
    'turn_slow 0',
  ]);
});

test('a last message without a reply is enough once; one that was answered later is not', () => {
  const unanswered = { said: [{ answered: false }] };
  expect(found('session_abandoned', [unanswered, ...Array<Visit>(98).fill({})])).toMatchObject({
    fires: true,
    affected: 1,
    evidenceSessionIds: ['ses_000'],
  });
  expect(found('session_abandoned', [{ said: [{ answered: false }, {}] }])).toMatchObject({ fires: false });
});

test.each([
  ['Show me the ships in the dock', 'please show me the ships in the dock!', true],
  ['Where is ship number 4 now', 'Where is ship number 5 now', false],
  ['Where is ship number 4 now', 'where is SHIP number 4 now?', true],
  ['yes please', 'Yes, please', false],
  ['How long is the Albatross', 'How old is the captain', false],
  ['港にはどの船がいますか', '港にはどの船がいますか？', true],
])('%s / %s is a repeated ask: %s', (first, second, repeats) => {
  expect(visits({ said: [{ asked: first }, {}, { asked: second }] })[0]?.repeatsItself).toBe(repeats);
});

/** Any session that the database can hold. */
const anyVisit: fc.Arbitrary<Visit> = fc.record(
  {
    said: fc.array(
      fc.record({
        asked: fc.oneof(
          fc.string(),
          fc.constantFrom('list all the ships', 'list all ships please', 'dock ship 7'),
        ),
        answered: fc.boolean(),
        durationMs: fc.nat(30_000),
        calls: fc.array(fc.record({ toolName: fc.constantFrom('find', 'dock', 'x:y'), ok: fc.boolean() }), {
          maxLength: 3,
        }),
      }),
      { maxLength: 4 },
    ),
    rating: fc.constantFrom(-1, 1, null),
    ratedAt: fc.constantFrom(now, window.from - 1, null),
    lastActivityAt: fc.constantFrom(now, now - idleAfter, window.to),
  },
  { requiredKeys: [] },
);

test('whatever is stored: counts add up, certain things fire, and one more clean session only dilutes', () => {
  fc.assert(
    fc.property(fc.array(anyVisit, { maxLength: 12 }), (sessions) => {
      const facts = visits(...sessions);
      const observations = observeVisits(study, facts);
      expect(observeVisits(study, facts.toReversed())).toEqual(observations);
      expect(new Set(observations.map(({ fingerprint }) => fingerprint)).size).toBe(observations.length);
      for (const { detector, fires, affected, total } of observations) {
        expect(affected).toBeLessThanOrEqual(total);
        expect(total).toBeLessThanOrEqual(facts.length);
        const sure =
          (detector === 'thumbs_down' && affected > 0) ||
          (detector === 'session_abandoned' && facts.some(({ end }) => end === 'unanswered'));
        expect(fires).toBe(sure || (affected >= 2 && affected / total >= 0.05));
      }
      const clean = { ...visits({})[0], sessionId: 'ses_z' } as VisitFacts;
      const diluted = observeVisits(study, [...facts, clean]);
      const affectedBy = (all: typeof observations) =>
        Object.fromEntries(
          all.filter(({ affected }) => affected > 0).map((one) => [one.fingerprint, one.affected]),
        );
      expect(affectedBy(diluted)).toEqual(affectedBy(observations));
    }),
  );
});

test('signals name what stands out, and insights begin with them', () => {
  const many = visits(
    ...Array<Visit>(12).fill({ said: [called(false)] }),
    ...[rated(-1), rated(1)].map((one) => ({ said: [called(true)], ...one })),
  );
  const signals = studySignals(many.length, observeVisits(study, many), false);
  expect(signals).toMatchObject({
    sessionCount: 14,
    feedbackCount: 2,
    truncated: false,
    lowConfidence: false,
  });
  const [first, second] = signals.candidates;
  expect(first?.title).toBe('visitors leave after a failure (study "Harbour desk")');
  expect(second).toMatchObject({
    title: 'a tool returns errors (tool "find")',
    affectedSessions: 12,
    sliceTotal: 14,
    evidenceSessionIds: Array.from({ length: 10 }, (_, at) => `ses_00${at}`),
    contrastSessionIds: ['ses_012', 'ses_013'],
    evidenceTruncated: true,
  });
  expect(signals.candidates.map(({ detector }) => detector)).toEqual([
    'session_abandoned',
    'tool_errored',
    'thumbs_down',
  ]);
  const insights = windowInsights(signals, new Map([[first?.fingerprint ?? '', 'recurring']]));
  expect(insights.summary).toMatch(/^14 sessions, 2 with a rating\. 3 problems were found; most/);
  expect(insights.unnarratedCandidates[0]).toMatchObject({ findingStatus: 'recurring' });
  expect(studySignals(0, [], true)).toMatchObject({ truncated: true, lowConfidence: true });
});

test.each([
  ['2026-01-04T23:59:59.999Z', 'win_20251229'],
  ['2026-01-05T00:00:00.000Z', 'win_20260105'],
  ['2026-01-11T12:00:00.000Z', 'win_20260105'],
  ['1970-01-01T00:00:00.000Z', 'win_19691229'],
])('%s is in %s', (time, id) => {
  const at = Date.parse(time);
  const { from, to, ...found } = windowAt(at);
  expect(found).toEqual({ id });
  expect(new Date(from).getUTCDay()).toBe(1);
  expect([from <= at, at < to, to - from]).toEqual([true, true, 604_800_000]);
});
