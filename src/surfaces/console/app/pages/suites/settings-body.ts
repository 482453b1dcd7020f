import type { Input } from '../../api/index.ts';
import type { Suite } from './suite-labels.ts';

type Body = Input<'updateEvalSuite'>['body'];
type Gate = NonNullable<NonNullable<NonNullable<Body['settings']>['qualityGate']>>;

/** Suite settings as form values. */
export interface Draft {
  name: string;
  description: string;
  servers: string[];
  model: string;
  systemPrompt: string;
  temperature: string;
  /** Pass threshold in percent, for a suite with one threshold for the whole run. */
  accuracy: string;
  trials: string;
  /** Pass threshold in percent, for a suite that decides each case separately. */
  threshold: string;
  judged: boolean;
  judgeModel: string;
  judgesByItself: boolean;
  /** In percent; empty if the condition is not set. */
  drop: string;
  slowerMs: string;
  noRegressions: boolean;
  noScoreErrors: boolean;
  against: 'none' | 'before' | 'branch' | 'run' | 'commit';
  baseline: string;
}

export function draftOf({ settings, executionConfig, environment, ...suite }: Suite): Draft {
  const { verdictPolicyDefaults: defaults, judge, qualityGate: gate } = settings;
  const { baseline } = gate ?? {};
  return {
    name: suite.name ?? '',
    description: suite.description ?? '',
    servers: environment.servers,
    model: executionConfig?.model ?? '',
    systemPrompt: executionConfig?.systemPrompt ?? '',
    temperature: textOf(executionConfig?.temperature),
    accuracy: textOf(settings.minimumAccuracy ?? 100),
    trials: textOf(defaults?.repetitions ?? defaults?.iterations ?? 1),
    threshold: percentText(defaults?.passThreshold ?? 1),
    judged: judge.enabled,
    judgeModel: judge.model ?? '',
    judgesByItself: judge.autoRun,
    drop: percentText(gate?.maximumPassRateDrop),
    slowerMs: textOf(gate?.maximumP95LatencyIncreaseMs),
    noRegressions: gate?.noDeterministicRegressions ?? false,
    noScoreErrors: gate?.noGatingScoreErrors ?? false,
    ...againstOf(gate ? baseline : { kind: 'previous' }),
  };
}

function againstOf(baseline: Gate['baseline']): Pick<Draft, 'against' | 'baseline'> {
  switch (baseline?.kind) {
    case 'previous':
      return { against: 'before', baseline: '' };
    case 'branch':
      return { against: 'branch', baseline: baseline.branch };
    case 'run':
      return { against: 'run', baseline: baseline.runId };
    case 'commit_sha':
      return { against: 'commit', baseline: baseline.commitSha };
    case undefined:
      return { against: 'none', baseline: '' };
  }
}

export const baselineNames = { run: 'Run', commit: 'Commit', branch: 'Branch' } as const;
const baselineProblems = {
  run: 'A run ID',
  commit: 'The commit of a run',
  branch: 'The branch of a run',
} as const;

/** Errors by field name. */
export function problemsIn(draft: Draft, before: Draft): Partial<Record<keyof Draft, string>> {
  const within = (value: string, least: number, most: number): boolean =>
    value.trim() !== '' && Number(value) >= least && Number(value) <= most;
  const shares = 'Between 0 and 100 percent';
  return {
    ...(draft.name.trim() === '' && { name: 'The name is required' }),
    ...(draft.name.trim().length > 200 && { name: 'At most 200 characters' }),
    ...(!within(draft.accuracy, 0, 100) && { accuracy: shares }),
    ...(!within(draft.threshold, 0, 100) && { threshold: shares }),
    ...(!(within(draft.trials, 1, 100) && Number.isInteger(Number(draft.trials))) && {
      trials: 'A whole number between 1 and 100',
    }),
    ...(draft.temperature !== '' && !within(draft.temperature, 0, 2) && { temperature: 'Between 0 and 2' }),
    ...(draft.temperature === '' &&
      before.temperature !== '' && { temperature: 'Once set, it can be changed but not removed' }),
    ...(draft.drop !== '' && !within(draft.drop, 0, 100) && { drop: shares }),
    ...(draft.slowerMs !== '' &&
      !within(draft.slowerMs, 0, Number.MAX_SAFE_INTEGER) && {
        slowerMs: 'A number of milliseconds',
      }),
    ...(draft.against !== 'before' &&
      draft.against !== 'none' &&
      draft.baseline.trim() === '' && { baseline: baselineProblems[draft.against] }),
  };
}

/** The patch that makes the suite match the form. */
export function bodyOf(suite: Suite, draft: Draft): Body {
  const before = draftOf(suite);
  const changed = (...fields: (keyof Draft)[]): boolean =>
    fields.some((field) => JSON.stringify(draft[field]) !== JSON.stringify(before[field]));
  const perCase = suite.settings.policy === 'v2';
  const executionConfig = {
    ...(changed('model') && { model: draft.model }),
    ...(changed('systemPrompt') && { systemPrompt: draft.systemPrompt }),
    ...(changed('temperature') && draft.temperature !== '' && { temperature: Number(draft.temperature) }),
  };
  const judge = {
    ...(changed('judged') && { enabled: draft.judged }),
    ...(changed('judgeModel') && draft.judgeModel !== '' && { model: draft.judgeModel }),
    ...(changed('judgesByItself') && { autoRun: draft.judgesByItself }),
  };
  const settings = {
    ...(!perCase && changed('accuracy') && { minimumAccuracy: Number(draft.accuracy) }),
    ...(perCase && changed('trials') && { repetitions: Number(draft.trials) }),
    ...(perCase && changed('threshold') && { passThreshold: Number(draft.threshold) / 100 }),
    ...(hasFields(judge) && { judge }),
    ...(changed('drop', 'slowerMs', 'noRegressions', 'noScoreErrors', 'against', 'baseline') && {
      qualityGate: gateOf(draft),
    }),
  };
  return {
    ...(changed('name') && { name: draft.name.trim() }),
    ...(changed('description') && { description: draft.description.trim() || null }),
    ...(changed('servers') && { environment: { servers: draft.servers } }),
    ...(hasFields(executionConfig) && { executionConfig }),
    ...(hasFields(settings) && { settings }),
  };
}

export function hasFields(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** Null if no condition is set, because an empty gate checks nothing. */
function gateOf(draft: Draft): Gate | null {
  const conditions = {
    ...(draft.drop !== '' && { maximumPassRateDrop: Number(draft.drop) / 100 }),
    ...(draft.slowerMs !== '' && { maximumP95LatencyIncreaseMs: Number(draft.slowerMs) }),
    ...(draft.noRegressions && { noDeterministicRegressions: true }),
    ...(draft.noScoreErrors && { noGatingScoreErrors: true }),
  };
  if (!hasFields(conditions)) return null;
  const baseline = draft.baseline.trim();
  switch (draft.against) {
    case 'run':
      return { ...conditions, baseline: { kind: 'run', runId: baseline } };
    case 'commit':
      return { ...conditions, baseline: { kind: 'commit_sha', commitSha: baseline } };
    case 'branch':
      return { ...conditions, baseline: { kind: 'branch', branch: baseline } };
    case 'before':
      return { ...conditions, baseline: { kind: 'previous' } };
    case 'none':
      return conditions;
  }
}

function textOf(value: number | null | undefined): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Rounded to hide floating-point errors. */
function percentText(share: number | undefined): string {
  return share === undefined ? '' : String(Number((share * 100).toFixed(6)));
}
