import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadinessFinding, ReadinessLane } from '../contract/readiness.ts';
import type { Lane } from './check.ts';
import { grade, overall, requiredLanes, type Submission } from './grade.ts';

const lane = fc.constantFrom(...ReadinessLane.options);
const finding = fc.record(
  {
    lane,
    class: fc.constantFrom(...ReadinessFinding.shape.class.options),
    status: fc.constantFrom(...ReadinessFinding.shape.status.options),
    missingInputs: fc.array(fc.constantFrom('a', 'b', 'c')),
  },
  { requiredKeys: ['lane', 'class', 'status'] },
);
const submission = fc.record<Submission>({
  kind: fc.constantFrom('claude', 'openai'),
  submissionMode: fc.constantFrom(null, 'mcp-only', 'mcp-imported-skills'),
  released: fc.boolean(),
});
type Graded = Parameters<typeof grade>[0][number];

const decisive = ({ class: kind }: Graded): boolean => kind === 'required' || kind === 'runtime-blocker';

function holds(check: (findings: Graded[], wanted: Submission) => void): void {
  fc.assert(fc.property(fc.array(finding, { maxLength: 30 }), submission, check));
}

test('a lane is not ready exactly when something that decides is violated', () => {
  holds((findings, wanted) => {
    for (const { lane: name, status } of grade(findings, wanted).lanes) {
      const broken = findings.some((one) => one.lane === name && decisive(one) && one.status === 'violated');
      expect(status === 'not-ready').toBe(broken);
    }
  });
});

test('a lane is ready only when something decided, and all that decides is satisfied', () => {
  holds((findings, wanted) => {
    for (const { lane: name, status } of grade(findings, wanted).lanes) {
      const own = findings.filter((one) => one.lane === name && decisive(one));
      const said = own.filter((one) => one.status !== 'not-applicable' && one.status !== 'informational');
      const ready = said.length > 0 && said.every((one) => one.status === 'satisfied');
      expect(status === 'ready').toBe(ready);
    }
  });
});

test('what does not decide changes no status', () => {
  holds((findings, wanted) => {
    const all = grade(findings, wanted);
    const deciding = grade(findings.filter(decisive), wanted);
    expect(all.overallStatus).toBe(deciding.overallStatus);
    expect(all.stages).toEqual(deciding.stages);
  });
});

test('findings are counted once, by what they came to', () => {
  holds((findings, wanted) => {
    for (const coverage of grade(findings, wanted).lanes) {
      const own = findings.filter((one) => one.lane === coverage.lane);
      const told = own.filter((one) => one.status === 'informational').length;
      expect(coverage.evaluated + coverage.notEvaluated + coverage.notApplicable + told).toBe(own.length);
      expect(coverage.missingInputs).toEqual([...new Set(coverage.missingInputs)].toSorted());
    }
  });
});

test('a satisfied finding that turns into one that was not looked at never makes anything ready', () => {
  holds((findings, wanted) => {
    const before = grade(findings, wanted).overallStatus;
    const unseen = findings.map((one) =>
      one.status === 'satisfied' ? { ...one, status: 'not-evaluated' as const } : one,
    );
    const after = grade(unseen, wanted).overallStatus;
    expect(before !== 'ready' && after === 'ready').toBe(false);
  });
});

test('the whole is the worst of what is needed, and a lane without findings is not ready', () => {
  const status = fc.constantFrom('ready' as const, 'not-ready' as const, 'incomplete' as const);
  fc.assert(
    fc.property(fc.uniqueArray(lane), fc.dictionary(lane, status), (required, statuses) => {
      const lanes = Object.entries(statuses).map(([name, one]) => ({ lane: name as Lane, status: one }));
      const needed = required.map((name) => statuses[name] ?? 'incomplete');
      const verdict = overall(required, lanes);
      expect(verdict === 'not-ready').toBe(needed.includes('not-ready'));
      expect(verdict === 'ready').toBe(needed.length > 0 && needed.every((one) => one === 'ready'));
    }),
  );
});

test('a submission needs at least what the technical stage needs, and the overall status is that of the last stage', () => {
  holds((findings, wanted) => {
    const { overallStatus, stages } = grade(findings, wanted);
    const [technical, submit] = stages;
    expect(requiredLanes(wanted)).toEqual(expect.arrayContaining(technical?.lanes ?? []));
    expect(submit?.status).toBe(overallStatus);
    expect(overallStatus === 'ready' && technical?.status !== 'ready').toBe(false);
  });
});

test.each<[string, Submission, Lane[]]>([
  ['Claude', { kind: 'claude', submissionMode: null, released: true }, []],
  ['OpenAI', { kind: 'openai', submissionMode: 'mcp-only', released: false }, []],
  [
    'OpenAI with skills',
    { kind: 'openai', submissionMode: 'mcp-imported-skills', released: false },
    ['plugin-package'],
  ],
  [
    'OpenAI after a review',
    { kind: 'openai', submissionMode: 'mcp-only', released: true },
    ['release-contract'],
  ],
])('%s needs its lanes', (_, wanted, more) => {
  expect(requiredLanes(wanted)).toEqual([
    'runtime-compatibility',
    'directory-policy',
    'submission-artifacts',
    ...more,
  ]);
});
