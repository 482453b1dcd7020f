import type { Output } from '../../../../client/index.ts';
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

/** Of a run or a suite: how it went, or until that is known how far it is. */
export function stateOf({ outcome, status }: { outcome: string | null; status: string }): State {
  const word = outcome ?? status;
  return states.find((one) => one === word) ?? 'notEstablished';
}

/** A run that was stopped has an outcome too; that it was stopped says more. */
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

/** Where it ran. */
export function sourceWords({ hosted, source }: Pick<ConformanceRun, 'hosted' | 'source'>): string {
  if (hosted) return 'here';
  return `reported by ${Object.hasOwn(sources, source) ? sources[source] : cut(source, 60)}`;
}

/** What was checked, by the name that whoever started it gave it. */
export function targetName({ target }: Pick<ConformanceRun, 'target'>): string {
  const { serverRef, serverUrl, serverId } = target;
  return cut(textIn(serverRef) ?? textIn(serverUrl) ?? textIn(serverId) ?? 'A server');
}

export const reasons: Record<string, string> = {
  silent: 'Nothing was heard of it for ten minutes.',
  cancelled: 'Somebody stopped it; the reports that it had are kept.',
  server_deleted: 'The server was deleted.',
  not_allowed: 'The address of the server may not be reached from here.',
  internal_error: 'Drydock could not finish it. Start another one.',
};

export function scoreWords(score: number | null): string {
  return score === null ? 'nothing was graded' : `${score} of 100`;
}
