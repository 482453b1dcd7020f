import type { Output } from '../../api/index.ts';
import { textIn } from '../../kit/given.ts';
import type { State } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';

export type ConformanceRun = Output<'getConformanceRun'>;
export type SuiteKind = ConformanceRun['requestedSuites'][number];

const suiteNames: Record<string, string> = {
  protocol: 'Protocol',
  apps: 'MCP Apps',
  tasks: 'Tasks',
  oauth: 'OAuth',
};

export function suiteName(kind: string): string {
  return Object.hasOwn(suiteNames, kind) ? (suiteNames[kind] as string) : kind;
}

const states: readonly State[] = ['passed', 'failed', 'running', 'pending', 'cancelled'];

/** The outcome of a run or suite, or its status until there is an outcome. */
export function stateOf({ outcome, status }: { outcome: string | null; status: string }): State {
  const word = outcome ?? status;
  return states.find((one) => one === word) ?? 'notEstablished';
}

/** A cancelled run may have an outcome too, but the cancellation is shown. */
export function stateOfRun({ outcome, status }: Pick<ConformanceRun, 'outcome' | 'status'>): State {
  return status === 'cancelled' ? 'cancelled' : stateOf({ outcome, status });
}

export function isOpen({ status }: Pick<ConformanceRun, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

const sources: Record<string, string> = {
  ui: 'a console',
  sdk: 'an SDK',
  cli: 'the command line',
  github_action: 'a GitHub action',
  github_app: 'a GitHub app',
  api: 'the API',
};

/** Where a run was executed. */
export function sourceText({ hosted, source }: Pick<ConformanceRun, 'hosted' | 'source'>): string {
  if (hosted) return 'this service';
  return `reported by ${Object.hasOwn(sources, source) ? sources[source] : cut(source, 60)}`;
}

export function targetName({ target }: Pick<ConformanceRun, 'target'>): string {
  const { serverRef, serverUrl, serverId } = target;
  return cut(textIn(serverRef) ?? textIn(serverUrl) ?? textIn(serverId) ?? 'A server');
}

export const reasons: Record<string, string> = {
  silent: 'No progress for ten minutes.',
  cancelled: 'Cancelled. Reports received so far are kept.',
  server_deleted: 'The server was deleted.',
  not_allowed: 'Outbound connections to the server URL are not allowed.',
  internal_error: 'Drydock could not finish the run. Start another.',
};

export function scoreText(score: number | null): string {
  return score === null ? 'not graded' : `${score} of 100`;
}
