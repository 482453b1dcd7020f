import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import { publicMatchOptions } from '../../../evaluation/index.ts';
import type { addSuite } from '../../eval-suites/create.ts';
import { minimumOf } from '../../eval-suites/settings.ts';
import type { Suite } from '../../eval-suites/suite.ts';
import type { Selection } from '../../execution/selection.ts';
import type { Test } from './cases.ts';
import type { Overrides } from './plan.ts';
import type { Identity, Started } from './replay.ts';

type Input = InputOf<Operations['createEvalRun']>;
type Body = Input['body'];
type Answer = OutputOf<Operations['createEvalRun']>;

/** A validated request for a run, before anything is written. */
export interface Launch extends Identity {
  /** A saved suite, or the fields of a new one. */
  suite: Suite | NewSuite;
  selection: Selection;
  overrides: Overrides;
  tests?: Test[] | undefined;
  caseIds?: string[] | undefined;
  minimumPassRate?: number | undefined;
  excludeSkills: boolean;
  /** A try from the case editor, which comparisons leave out. */
  isTry?: boolean | undefined;
  notes?: string | undefined;
  source: 'api' | 'schedule';
  runGroupId?: string | undefined;
  launcher?: Record<string, string> | undefined;
  ci?: Record<string, string> | undefined;
  metadata?: Record<string, unknown>;
}

export type NewSuite = Omit<Parameters<typeof addSuite>[2], 'hosts'> & { hosts: Suite['hosts']; isNew: true };

type Shared = Pick<
  Body,
  | 'iterationOverride'
  | 'caseIds'
  | 'matchOptionsOverride'
  | 'skillsOverride'
  | 'notes'
  | 'passCriteria'
  | 'modelApiKeys'
  | 'importApprovals'
>;

/** Options that a run and a run group have in common. */
export function sharedLaunch(
  body: Shared,
): Pick<Launch, 'caseIds' | 'minimumPassRate' | 'excludeSkills' | 'notes'> {
  return {
    caseIds: body.caseIds,
    minimumPassRate: minimumOf(body.passCriteria),
    excludeSkills: body.skillsOverride === 'exclude',
    notes: body.notes,
  };
}

export function sharedOverrides(body: Shared): Launch['overrides'] {
  return {
    iterationOverride: body.iterationOverride,
    matchOptionsOverride: body.matchOptionsOverride && publicMatchOptions(body.matchOptionsOverride),
    apiKeys: body.modelApiKeys ?? {},
    approved: new Map(body.importApprovals?.map(({ testCaseId, reason }) => [testCaseId, reason])),
  };
}

const launcherKinds = ['cli', 'mcp', 'github_action'];

/** A label for statistics; unknown kinds are dropped. */
export function launcherOf({ headers }: Pick<Input, 'headers'>): Record<string, string> | undefined {
  const launcher = headers['x-mcpjam-launcher'];
  return launcher && launcherKinds.includes(launcher['kind'] ?? '') ? launcher : undefined;
}

export function answerOf({ run, servers, committed, deduped }: Started): Answer {
  return {
    runId: run.id,
    suiteId: run.suiteId,
    status: run.status,
    ...(deduped && { deduped: true as const }),
    ...(run.runGroupId !== null && { runGroupId: run.runGroupId }),
    servers,
    caseUpsert: { committed, failed: [] },
    environment: run.environment,
  };
}
