import { isObject } from '../../platform/json/is-object.ts';
import { isGating } from '../checks/evaluate.ts';
import { sha256 } from '../json/value.ts';
import type { ShownCall } from '../matching/calls.ts';
import type { Score } from '../scores/score.ts';
import type { FailureCategory, Stage, StageResult } from '../stage.ts';
import { cut, hideSecrets } from '../text/show.ts';
import type { InsightFinding } from './candidates.ts';

/** A trial that did not pass, as stored. */
export interface FailedTrial {
  iterationId: string;
  title: string;
  status: string;
  error: string | null;
  stageResults: readonly StageResult[];
  firstFailedStage?: Stage | undefined;
  failureCategory?: FailureCategory | undefined;
  expectedToolCalls: readonly ShownCall[];
  actualToolCalls: readonly ShownCall[];
  predicateResults: readonly unknown[];
  scores: readonly Score[];
}

/** Trials with equal signals form one cluster. */
interface Signal {
  stage: Stage | undefined;
  category: FailureCategory | undefined;
  reason: string;
  toolName: string | undefined;
  /** The kind of the failed check. */
  check: string | undefined;
}

export interface Cluster extends Signal {
  /** Equal for equal signals in every run. */
  fingerprint: string;
  count: number;
  /** Distinct titles of cases, up to a bound. */
  titles: string[];
  evidence: InsightFinding['evidence'];
}

const maxEvidence = 10;
const maxTitles = 5;
const maxExcerptLength = 300;

/** Clusters failed trials one by one, so that a run of any size fits into memory. */
export class TrialClusters {
  private readonly byFingerprint = new Map<string, Cluster>();
  /** Trials whose evidence was dropped. */
  omittedEvidence = 0;

  add(trial: FailedTrial): void {
    const signal = signalOf(trial);
    const { stage, category, reason, toolName, check } = signal;
    const fingerprint = sha256(JSON.stringify(['eval_run', stage, category, reason, toolName, check]));
    const known = this.byFingerprint.get(fingerprint);
    const cluster: Cluster = known ?? { ...signal, fingerprint, count: 0, titles: [], evidence: [] };
    this.byFingerprint.set(fingerprint, cluster);
    cluster.count++;
    if (cluster.titles.length < maxTitles && !cluster.titles.includes(trial.title))
      cluster.titles.push(trial.title);
    if (cluster.evidence.length < maxEvidence) cluster.evidence.push(evidenceOf(trial, signal));
    else this.omittedEvidence++;
  }

  /** Largest first, independent of the order of the trials. */
  list(): Cluster[] {
    return [...this.byFingerprint.values()].sort(
      (a, b) => b.count - a.count || (a.fingerprint < b.fingerprint ? -1 : 1),
    );
  }
}

function signalOf(trial: FailedTrial): Signal {
  const { firstFailedStage: stage, failureCategory: category, stageResults } = trial;
  const row = stageResults.find((one) => one.stage === stage);
  const reason =
    row?.reason ?? stageResults.find(({ state }) => state === 'notMeasured')?.reason ?? trial.status;
  const failed = reason === 'predicateFailed' ? failedCheck(trial) : undefined;
  return {
    stage,
    category,
    reason,
    toolName: toolOf(trial, reason) ?? textIn(failed, 'toolName'),
    check: textIn(failed, 'type'),
  };
}

function failedCheck({ predicateResults }: FailedTrial): unknown {
  const row = predicateResults.find(
    (one) =>
      isObject(one) && one['passed'] === false && one['status'] === undefined && isGating(one['predicate']),
  );
  return isObject(row) ? row['predicate'] : undefined;
}

function textIn(value: unknown, field: string): string | undefined {
  const text = isObject(value) ? value[field] : undefined;
  return typeof text === 'string' ? cut(text, 200) : undefined;
}

function toolOf(
  { expectedToolCalls, actualToolCalls, scores }: FailedTrial,
  reason: string,
): string | undefined {
  const expected = expectedToolCalls.map(({ toolName }) => toolName);
  const actual = actualToolCalls.map(({ toolName }) => toolName);
  switch (reason) {
    case 'missingToolCall':
      return expected.find((name) => !actual.includes(name));
    case 'unexpectedToolCall':
      return actual.find((name) => !expected.includes(name));
    case 'argumentMismatch':
      return expected.find((name) => actual.includes(name));
    case 'toolError':
    case 'protocolError':
      return scores.find(({ scorerId }) => scorerId === 'toolErrors')?.evidence?.[0];
    default:
      return undefined;
  }
}

function evidenceOf(
  trial: FailedTrial,
  { stage, reason, toolName }: Signal,
): InsightFinding['evidence'][number] {
  const row = trial.stageResults.find((one) => one.stage === stage);
  const said = row?.evidence?.predicateReasons?.[0] ?? trial.error ?? `${trial.title}: ${reason}`;
  const kind = /^(toolError|protocolError)$/.test(reason)
    ? 'tool_error'
    : /^judge/.test(reason)
      ? 'judge'
      : 'transcript';
  return {
    iterationId: trial.iterationId,
    kind,
    excerpt: cut(hideSecrets(said), maxExcerptLength),
    ...(toolName !== undefined && { toolName }),
  };
}
