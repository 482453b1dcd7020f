import type { Check } from '../../contract/eval-checks.ts';
import type { Step } from '../../contract/eval-steps.ts';
import type { ResolvedMatchOptions } from '../../evaluation/index.ts';
import type { ClientConnection } from '../clients/connection.ts';
import type { Judge, Validity } from '../eval-suites/settings.ts';

/** A case as a run tries it: everything inherited is filled in. */
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
  /** Trials of each variant. */
  trials: number;
  /** The rate of trials that have to pass; policy 2 only. */
  passThreshold: number;
  variants: PlannedVariant[];
  /** False: no judge looks at it. */
  judged?: boolean;
  /** Of a run that was reported: trials of each variant so far. */
  reported?: Record<number, number>;
  /** Of such a run: the hash of how it was judged. */
  scoring?: string;
}

/** With which model; a case that asks none has the one variant `widget-probe`. */
export interface PlannedVariant {
  model: string;
  provider: string;
}

/** By scorer. */
type ReportedScoring = Record<string, { gating: boolean; deterministic: boolean }>;
/** The judge of the suite, and the model that it has found when the run was launched. */
export interface RunJudge extends Judge {
  resolved: string;
  /** The suite wants it to decide, and it only advises, since no language model is there. */
  demoted?: true;
}

interface PlannedSkill {
  name: string;
  description: string;
  content: string;
}

/** All that a run uses, as it was when the run was launched. Never changed, so every process may keep it. */
export interface RunSnapshot {
  version: 1;
  /** It ran elsewhere, and was judged there. */
  reported?: true;
  suite: { id: string; name: string; revision: number };
  /** Of a run that was reported: how its trials were judged, by the hash that the reporter gives. */
  scorings?: Record<string, ReportedScoring>;
  /** Of such a run: how many scores its trials have. */
  scores?: number;
  policy: 1 | 2;
  /** Percent; policy 1 only. */
  minimumPassRate: number;
  validity: Validity;
  judge?: RunJudge;
  cases: PlannedCase[];
  servers: { id: string; name: string; revision: number }[];
  client: { id: string; name: string; configId: string } | null;
  environment: { id: string; name: string | null; revision: number } | null;
  systemPrompt?: string;
  temperature?: number;
  /** How the client speaks to servers. */
  connection: ClientConnection;
  skills: PlannedSkill[];
  /** Those that reach this run. */
  secretIds: string[];
  pluginVersions: { id: string; pluginId: string; name: string; bundleHash: string }[];
}

/** The model of a case that prompts none. */
export const noModel: PlannedVariant = { model: 'widget-probe', provider: 'none' };

/** Where a trial stands in its plan. */
export function casesById(snapshot: RunSnapshot): Map<string, PlannedCase> {
  return new Map(snapshot.cases.map((one) => [one.id, one]));
}
