import type { Output } from '../../../../client/index.ts';
import type { State } from '../../kit/state.tsx';

type Trial = Output<'listEvalRunTrialStates'>['items'][number];
type Run = Output<'listEvalRuns'>['items'][number];

/** How a trial stands: as it was judged, or how it ended without being judged. */
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

/** Whether more is to come. */
export function isOpen({ status }: Pick<Run, 'status'>): boolean {
  return status === 'pending' || status === 'running' || status === 'grading';
}

/** What a run covers, where that is less than its suite. */
export function coverageWords({ coverage }: Pick<Run, 'coverage'>): string | undefined {
  if (coverage === 'try') return 'a try from the editor';
  return coverage === 'cases' ? 'some cases of the suite' : undefined;
}

/** What a run was with: one model, or the one of each case. */
export function modelWords({ effectiveModelId, modelSource }: Run): string | undefined {
  return effectiveModelId ?? (modelSource === 'case' ? 'by case' : undefined);
}

/** Who or what started it. */
export function starterWords({ source, launcher }: Run): string {
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

const stageWords: Record<string, string> = {
  connection: 'connecting',
  discovery: 'finding tools',
  selection: 'choosing a tool',
  call: 'calling it',
  response: 'what came back',
  userValue: 'value for the user',
};

/** Where a trial can fail, in the order of a trial. */
export function stageWord(stage: string): string {
  return stageWords[stage] ?? stage;
}
