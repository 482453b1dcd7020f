import type { Check } from '../../contract/eval-checks.ts';
import type { Step } from '../../contract/eval-steps.ts';
import type { ResolvedMatchOptions } from '../../evaluation/index.ts';
import type { Judge, Validity } from '../eval-suites/settings.ts';
import type { PlaceSnapshot } from '../execution/place.ts';

/** A case ready to run: every inherited setting is resolved. */
export interface PlannedCase {
  id: string;
  declaredId: string;
  title: string;
  steps: Step[];
  isNegative: boolean;
  expectedOutput?: string;
  intent?: string;
  checks: Check[];
  match: ResolvedMatchOptions;
  failOnToolError: boolean;
  /** Trials per variant. */
  trials: number;
  /** Required pass rate of the case's trials; policy 2 only. */
  passThreshold: number;
  variants: PlannedVariant[];
  /** False if the judge skips this case. */
  judged?: boolean;
  /** Reported runs only: trials per variant so far. */
  reported?: Record<number, number>;
  /** Reported runs only: hash of the scoring config. */
  scoring?: string;
}

/** The model of a variant. A case without prompts has the single variant `widget-probe`. */
export interface PlannedVariant {
  model: string;
  provider: string;
}

/** Roles of the scores of reported trials, by scorer ID. */
type ReportedScoring = Record<string, { gating: boolean; deterministic: boolean }>;
/** The suite's judge, with the model resolved at launch. */
export interface RunJudge extends Judge {
  resolved: string;
  /** The suite wants a gating judge, but no language model is available, so it is advisory. */
  demoted?: true;
}

/** Everything a run uses, as of its launch. Immutable, so processes may cache it; only reported runs add to theirs. */
export interface RunSnapshot extends PlaceSnapshot {
  version: 1;
  /** The run was executed and judged by a client that reported it. */
  reported?: true;
  suite: { id: string; name: string; revision: number };
  /** Reported runs only: how trials were judged, by the reporter's hash. */
  scorings?: Record<string, ReportedScoring>;
  /** Reported runs only: number of scores of its trials. */
  scores?: number;
  policy: 1 | 2;
  /** Percent; policy 1 only. */
  minimumPassRate: number;
  validity: Validity;
  judge?: RunJudge;
  cases: PlannedCase[];
  pluginVersions: { id: string; pluginId: string; name: string; bundleHash: string }[];
}

/** Placeholder model of a case without prompts. */
export const noModel: PlannedVariant = { model: 'widget-probe', provider: 'none' };

export function casesById(snapshot: RunSnapshot): Map<string, PlannedCase> {
  return new Map(snapshot.cases.map((one) => [one.id, one]));
}
