import type { Output } from '../../api/index.ts';
import type { State } from '../../kit/state.tsx';

type Trial = Output<'listEvalRunTrialStates'>['items'][number];
type Run = Output<'listEvalRuns'>['items'][number];

/** State of a trial: its verdict, or how it ended without one. */
export function stateOfTrial({ status, result }: Pick<Trial, 'status' | 'result'>): State {
  if (result !== null) return result;
  switch (status) {
    case 'pending':
    case 'running':
    case 'skipped':
    case 'cancelled':
      return status;
    case 'timed_out':
      return 'timedOut';
    case 'setup_failed':
      return 'setupFailed';
    case 'failed':
      return 'failed';
    default:
      return 'notMeasured';
  }
}

export function stateOfRun({ status, result }: Pick<Run, 'status' | 'result'>): State {
  switch (status) {
    case 'pending':
    case 'running':
    case 'grading':
    case 'cancelled':
      return status;
    case 'timed_out':
      return 'timedOut';
    default:
      return result ?? 'notEstablished';
  }
}

/** Whether the run is still in progress. */
export function isOpen({ status }: Pick<Run, 'status'>): boolean {
  return status === 'pending' || status === 'running' || status === 'grading';
}

export function coverageText({ coverage }: Pick<Run, 'coverage'>): string | undefined {
  if (coverage === 'try') return 'editor test run';
  return coverage === 'cases' ? 'selected cases' : undefined;
}

export function modelText({ effectiveModelId, modelSource }: Run): string | undefined {
  return effectiveModelId ?? (modelSource === 'case' ? 'by case' : undefined);
}

export function starterText({ source, launcher }: Run): string {
  const kind = launcher?.['kind'];
  if (kind === 'cli') return 'command line';
  if (kind === 'mcp') return 'an agent';
  if (kind === 'github_action') return 'GitHub Action';
  return {
    ui: 'console',
    api: 'API',
    sdk: 'reported',
    schedule: 'schedule',
    github_check: 'GitHub check',
    benchmark: 'benchmark',
  }[source];
}

const stageLabels: Record<string, string> = {
  connection: 'connecting',
  discovery: 'tool discovery',
  selection: 'tool choice',
  call: 'tool call',
  response: 'tool result',
  userValue: 'final answer',
};

export function stageWord(stage: string): string {
  return stageLabels[stage] ?? stage;
}
