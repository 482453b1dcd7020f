import { expect, test } from 'vitest';
import { createBody, draftOf, newJourney, problemsIn, updateBody } from './journey-body.ts';
import type { Journey } from './journey-labels.ts';

const journey: Journey = {
  id: 'jrn_1',
  projectId: 'prj_1',
  name: 'Find a berth',
  goal: 'Find a berth',
  personaId: 'per_1',
  swarmId: null,
  environmentIds: ['env_1'],
  hostIds: [],
  sessionsPerTarget: 3,
  maxTurns: 6,
  rubric: { criteria: [{ id: 'clean', predicate: { type: 'noToolErrors' } }] },
  judge: { enabled: true, threshold: 0.7 },
  passThreshold: 0.85,
  createdAt: 0,
  updatedAt: 0,
};

test('a journey that was not touched sends nothing', () => {
  expect(updateBody(draftOf(journey), draftOf(journey))).toEqual({});
});

test('only what differs is sent; what was taken away is cleared, and both sizes go together', () => {
  const before = draftOf(journey);
  expect(updateBody(before, { ...before, maxTurns: '8' })).toEqual({ sessionsPerTarget: 3, maxTurns: 8 });
  expect(
    updateBody(before, {
      ...before,
      place: 'clients',
      hostIds: ['cli_1'],
      criteria: [],
      passThreshold: '90',
    }),
  ).toEqual({ environmentIds: null, hostIds: ['cli_1'], rubric: null, passThreshold: 0.9 });
});

test('a new journey names one kind of target, and leaves out what nobody typed', () => {
  const draft = { ...newJourney, goal: ' Find a berth ', personaId: 'per_1', hostIds: ['cli_1'] };
  expect(createBody({ ...draft, environmentIds: ['env_1'] })).toEqual({
    goal: 'Find a berth',
    personaId: 'per_1',
    hostIds: ['cli_1'],
    sessionsPerTarget: 3,
    maxTurns: 6,
    judge: { enabled: true, threshold: 0.7 },
    passThreshold: 1,
  });
});

test('figures out of bounds are said at their field', () => {
  const draft = {
    ...newJourney,
    sessionsPerTarget: '101',
    maxTurns: '2.5',
    passThreshold: '',
    judged: false,
  };
  expect(Object.keys(problemsIn(draft))).toEqual(['sessionsPerTarget', 'maxTurns', 'passThreshold']);
});
