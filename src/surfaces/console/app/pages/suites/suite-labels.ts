import type { Output } from '../../api/index.ts';
import { counted, percent } from '../../kit/numbers.ts';
import type { State } from '../../kit/state.tsx';
import { stateOfRun } from '../runs/states.ts';

export type Suite = Output<'getEvalSuite'>;
type Listed = Output<'listEvalSuites'>['items'][number];

/** `every 5 minutes`, `every 6 hours`, `every day`. */
export function intervalLabel(minutes: number): string {
  const [amount, unit] =
    minutes % 1440 === 0
      ? [minutes / 1440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return amount === 1 ? `every ${unit}` : `every ${counted(amount, unit)}`;
}

/** Describes the pass criteria of a suite. */
export function policyText({ settings }: Suite): string {
  const { policy, verdictPolicyDefaults: defaults, minimumAccuracy } = settings;
  if (policy === 'legacy') return `${percent((minimumAccuracy ?? 100) / 100)} of all trials pass`;
  const trials = defaults?.repetitions ?? defaults?.iterations ?? 1;
  return `each case is tried ${trials === 1 ? 'once' : `${trials} times`} and must pass ${passText(defaults?.passThreshold ?? 1)}`;
}

function passText(threshold: number): string {
  return threshold === 1 ? 'every time' : `at least ${percent(threshold)} of the time`;
}

export function gateLabels({ settings: { qualityGate: gate } }: Suite): string[] {
  if (!gate) return [];
  const { maximumPassRateDrop: drop, maximumP95LatencyIncreaseMs: slower, baseline } = gate;
  const against = baselineText(baseline);
  return [
    ...(drop === undefined ? [] : [`pass rate at most ${pointsText(drop)} below ${against}`]),
    ...(gate.noDeterministicRegressions ? [`no deterministic check that passed in ${against} fails`] : []),
    ...(slower === undefined ? [] : [`p95 at most ${slower} ms slower than ${against}`]),
    ...(gate.noGatingScoreErrors ? ['no required score missing because of an error'] : []),
  ];
}

function pointsText(drop: number): string {
  return counted(Number((drop * 100).toFixed(1)), 'percentage point');
}

function baselineText(baseline: NonNullable<Suite['settings']['qualityGate']>['baseline']): string {
  switch (baseline?.kind) {
    case 'previous':
      return 'the previous run';
    case 'branch':
      return `the branch ${baseline.branch}`;
    case 'run':
      return 'the baseline run';
    case 'commit_sha':
      return `commit ${baseline.commitSha.slice(0, 12)}`;
    case undefined:
      return 'a baseline that is not set';
  }
}

const pauses: Record<string, string> = {
  paused_quota: 'paused: spend cap reached',
  paused_auth: 'paused: its owner lost access',
  paused_failures: 'paused: five consecutive launches failed',
};

/** Describes the schedule of a suite. */
export function scheduleState({ schedule }: Pick<Suite, 'schedule'>): { state: State; words: string } {
  const { enabled, intervalMinutes, state } = schedule;
  if (!enabled || intervalMinutes === null) return { state: 'skipped', words: 'no schedule' };
  const pause = pauses[state ?? ''];
  return pause === undefined
    ? { state: 'pending', words: intervalLabel(intervalMinutes) }
    : { state: 'attention', words: pause };
}

type Status = Parameters<typeof stateOfRun>[0];

/** State of the last run of a suite, if there is one. */
export function stateOfLatest({ latestRun }: Pick<Listed, 'latestRun'>): State | undefined {
  return latestRun ? stateOfRun(latestRun as Status) : undefined;
}
