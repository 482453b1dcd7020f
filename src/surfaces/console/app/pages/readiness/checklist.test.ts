import { expect, test } from 'vitest';
import { checklistOf, countByStatus, seenIn } from './checklist.ts';
import type { Finding } from './labels.ts';

const finding = (id: string, weight: Finding['class'], status: Finding['status']): Finding => ({
  id,
  title: id,
  lane: 'directory-policy',
  class: weight,
  status,
  source: { page: 'p', section: 's', policySnapshotDate: '2026-11-01' },
  provenance: 'wire',
  intrusiveness: 'passive',
  evaluatedAt: 1,
  engineVersion: '1',
});
const findings = [
  finding('met', 'required', 'satisfied'),
  finding('hint', 'recommended', 'violated'),
  finding('unseen', 'required', 'not-evaluated'),
  finding('broken', 'runtime-blocker', 'violated'),
  finding('odd', 'heuristic', 'informational'),
  finding('other', 'required', 'not-applicable'),
];
const coverage = {
  status: 'not-ready' as const,
  evaluated: 0,
  notEvaluated: 0,
  notApplicable: 0,
  missingInputs: [],
};

test('what decides comes first, of that what is broken; what is met and what does not apply stand apart', () => {
  const lanes = [
    { ...coverage, lane: 'directory-policy' as const },
    { ...coverage, lane: 'plugin-package' as const },
  ];
  const [group, ...others] = checklistOf({ lanes, findings });
  expect(others).toEqual([]);
  expect(group?.open.map(({ id }) => id)).toEqual(['broken', 'unseen', 'hint', 'odd']);
  expect(group?.satisfied.map(({ id }) => id)).toEqual(['met']);
  expect(group?.notApplicable.map(({ id }) => id)).toEqual(['other']);
  expect(countByStatus(findings)).toEqual({ broken: 1, open: 1, met: 1 });
});

test('evidence of any shape is read as far as it is known', () => {
  expect(seenIn({})).toEqual({ problem: undefined, items: [], rest: undefined });
  expect(seenIn({ details: { problem: 'No title', count: 2, items: ['a', 1], status: 200 } })).toEqual({
    problem: 'No title',
    items: ['a'],
    rest: { status: 200 },
  });
  expect(seenIn({ details: { problem: {}, items: 'a' } })).toEqual({
    problem: undefined,
    items: [],
    rest: undefined,
  });
});
