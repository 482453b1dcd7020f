import { quantile } from '../statistics/quantile.ts';
/** The quality gate of a suite: requirements on its runs beyond the verdict. */
export interface GatePolicy {
  maximumPassRateDrop?: number | undefined;
  noDeterministicRegressions?: boolean | undefined;
  maximumP95LatencyIncreaseMs?: number | undefined;
  noGatingScoreErrors?: boolean | undefined;
}

/** Counts of one scorer over the trials of one case. */
export interface GateScore {
  caseKey: string;
  scorerId: string;
  definitionHash: string | null;
  gating: boolean;
  deterministic: boolean;
  scored: number;
  passed: number;
  errors: number;
}

/** The figures of a run that its gate evaluates. */
export interface GateSide {
  /** Pass rate of its trials; undefined when none was judged. */
  passRate: number | undefined;
  durationsMs: readonly number[];
  scores: readonly GateScore[];
}

interface GateCondition {
  condition:
    | 'noGatingScoreErrors'
    | 'maximumPassRateDrop'
    | 'noDeterministicRegressions'
    | 'maximumP95LatencyIncreaseMs';
  status: 'passed' | 'failed' | 'non_gateable';
  message: string;
  reason?: string;
  observed?: number;
  threshold?: number;
  scorerId?: string;
}

export interface GateOutcome {
  outcome: 'passed' | 'failed' | 'non_gateable' | 'not_configured';
  conditions: GateCondition[];
}

/** Why a condition cannot be evaluated: a code and a message. */
export interface Unanswerable {
  reason: string;
  message: string;
}

type Finding = Omit<GateCondition, 'condition'>;
/** One finding or several, when several scores fail. */
type Answer = Finding | Finding[];

/** A failed condition takes precedence over one that cannot be evaluated, which takes precedence over passed ones. */
export function evaluateGate(
  policy: GatePolicy,
  run: GateSide | Unanswerable,
  baseline: GateSide | Unanswerable,
): GateOutcome {
  const conditions: GateCondition[] = [];
  const add = (condition: GateCondition['condition'], answer: Answer): void => {
    for (const finding of [answer].flat()) conditions.push({ condition, ...finding });
  };
  const of = (answer: (side: GateSide) => Answer): Answer => ('reason' in run ? cannot(run) : answer(run));
  const between = (answer: (now: GateSide, base: GateSide) => Answer): Answer =>
    of((now) => ('reason' in baseline ? cannot(baseline) : answer(now, baseline)));
  const { maximumPassRateDrop: drop, maximumP95LatencyIncreaseMs: increase } = policy;
  if (policy.noGatingScoreErrors) add('noGatingScoreErrors', of(scoreErrors));
  if (drop !== undefined)
    add(
      'maximumPassRateDrop',
      between((now, base) => passRateDrop(now, base, drop)),
    );
  if (policy.noDeterministicRegressions) add('noDeterministicRegressions', between(regressions));
  if (increase !== undefined)
    add(
      'maximumP95LatencyIncreaseMs',
      between((now, base) => latencyIncrease(now, base, increase)),
    );
  return { outcome: outcomeOf(conditions), conditions };
}

function outcomeOf(conditions: readonly GateCondition[]): GateOutcome['outcome'] {
  if (conditions.length === 0) return 'not_configured';
  const has = (status: GateCondition['status']): boolean => conditions.some((one) => one.status === status);
  return has('failed') ? 'failed' : has('non_gateable') ? 'non_gateable' : 'passed';
}

function cannot({ reason, message }: Unanswerable): Finding {
  return { status: 'non_gateable', reason, message };
}

function scoreErrors({ scores }: GateSide): Answer {
  const failing = new Map<string, number>();
  for (const { gating, errors, scorerId } of scores)
    if (gating && errors > 0) failing.set(scorerId, (failing.get(scorerId) ?? 0) + errors);
  if (failing.size === 0) return { status: 'passed', message: 'No required score is missing', observed: 0 };
  return [...failing].map(([scorerId, errors]) => ({
    status: 'failed',
    message: `${scorerId} could not be measured in ${errors} ${errors === 1 ? 'trial' : 'trials'}`,
    observed: errors,
    threshold: 0,
    scorerId,
  }));
}

function passRateDrop(now: GateSide, base: GateSide, threshold: number): Finding {
  if (now.passRate === undefined || base.passRate === undefined)
    return cannot({ reason: 'passRateNotMeasured', message: 'One of the runs has no judged trials' });
  // Rounds off the floating-point error of the subtraction.
  const observed = Number((base.passRate - now.passRate).toFixed(12));
  return {
    status: observed > threshold ? 'failed' : 'passed',
    message: `Pass rate changed from ${percent(base.passRate)} to ${percent(now.passRate)}; maximum drop: ${percent(threshold)}`,
    observed,
    threshold,
  };
}

const maxNamed = 5;

/** Compares only checks with the same definition: a changed check says nothing about the server. */
function regressions(now: GateSide, base: GateSide): Finding {
  const before = new Map(base.scores.filter(isDeterministic).map((score) => [keyOf(score), score]));
  const pairs = now.scores.filter(isDeterministic).flatMap((score) => {
    const was = before.get(keyOf(score));
    return was && was.definitionHash === score.definitionHash && was.scored > 0 && score.scored > 0
      ? [{ score, was }]
      : [];
  });
  if (pairs.length === 0)
    return cannot({
      reason: 'noComparableScores',
      message: 'The runs share no deterministic check',
    });
  const failing = pairs.filter(({ score, was }) => allPassed(was) && !allPassed(score));
  if (failing.length === 0)
    return {
      status: 'passed',
      message: `No regressions in ${pairs.length} deterministic ${pairs.length === 1 ? 'check' : 'checks'}`,
      observed: 0,
    };
  const named = failing.slice(0, maxNamed).map(({ score }) => `${score.scorerId} of ${score.caseKey}`);
  const more = failing.length > maxNamed ? ` and ${failing.length - maxNamed} more` : '';
  return {
    status: 'failed',
    message: `Regressions: ${named.join(', ')}${more}`,
    observed: failing.length,
    threshold: 0,
  };
}

function isDeterministic({ deterministic }: GateScore): boolean {
  return deterministic;
}

function keyOf({ caseKey, scorerId }: GateScore): string {
  return JSON.stringify([caseKey, scorerId]);
}

function allPassed({ scored, passed }: GateScore): boolean {
  return passed === scored;
}

function latencyIncrease(now: GateSide, base: GateSide, threshold: number): Finding {
  const [is, was] = [quantile(now.durationsMs, 0.95), quantile(base.durationsMs, 0.95)];
  if (is === undefined || was === undefined)
    return cannot({ reason: 'latencyNotMeasured', message: 'One of the runs has no durations' });
  return {
    status: is - was > threshold ? 'failed' : 'passed',
    message: `p95 trial duration changed from ${was} to ${is} ms; maximum increase: ${threshold} ms`,
    observed: is - was,
    threshold,
  };
}

function percent(rate: number): string {
  return `${Math.round(rate * 1000) / 10}%`;
}
