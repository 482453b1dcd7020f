import { runStatuses } from '../../../contract/run-statuses.ts';
/** Search parameters before parsing. Parsers return every key: for a missing one the router keeps the raw value. */

export type Raw = Record<string, unknown>;

export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined;
}

export function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((one) => one === value);
}

export interface SignInSearch {
  /** Where to go after sign-in. */
  to?: string | undefined;
}

export function signInSearch(raw: Raw): SignInSearch {
  return { to: text(raw['to']) };
}

const serverTabs = [
  'health',
  'tools',
  'prompts',
  'resources',
  'contract',
  'conformance',
  'readiness',
  'settings',
] as const;
export type ServerTab = (typeof serverTabs)[number];

export interface ServerSearch {
  tab?: ServerTab | undefined;
  /** The open tool, prompt or resource. */
  item?: string | undefined;
  /** The readiness run to show; the latest by default. */
  run?: string | undefined;
  /** Whether the dialog that starts a run is open. */
  start?: true | undefined;
}

export function serverSearch(raw: Raw): ServerSearch {
  return {
    tab: oneOf(serverTabs, raw['tab']),
    item: text(raw['item']),
    run: text(raw['run']),
    start: raw['start'] === true ? (true as const) : undefined,
  };
}

export const runResults = ['passed', 'failed', 'inconclusive'] as const;

export interface RunsSearch {
  suite?: string | undefined;
  result?: (typeof runResults)[number] | undefined;
  status?: (typeof runStatuses)[number] | undefined;
}

export function runsSearch(raw: Raw): RunsSearch {
  return {
    suite: text(raw['suite']),
    result: oneOf(runResults, raw['result']),
    status: oneOf(runStatuses, raw['status']),
  };
}

export const trialStates = [
  'passed',
  'failed',
  'running',
  'pending',
  'skipped',
  'cancelled',
  'timedOut',
  'setupFailed',
] as const;
export const stages = ['connection', 'discovery', 'selection', 'call', 'response', 'userValue'] as const;
const sorts = ['case', 'rate', 'latency', 'tokens', 'cost'] as const;

export interface TrialFilters {
  state?: (typeof trialStates)[number] | undefined;
  stage?: (typeof stages)[number] | undefined;
  tool?: string | undefined;
  model?: string | undefined;
  q?: string | undefined;
}

export interface RunSearch extends TrialFilters {
  sort?: (typeof sorts)[number] | undefined;
  /** Descending order. */
  down?: true | undefined;
}

export interface TrialSearch extends RunSearch {
  span?: string | undefined;
  /** The step whose moment in the recording is shown. */
  step?: string | undefined;
  /** Whether the raw trace is shown. */
  raw?: true | undefined;
}

export function runSearch(raw: Raw): RunSearch {
  return {
    state: oneOf(trialStates, raw['state']),
    stage: oneOf(stages, raw['stage']),
    tool: text(raw['tool']),
    model: text(raw['model']),
    q: text(raw['q']),
    sort: oneOf(sorts, raw['sort']),
    down: raw['down'] === true ? (true as const) : undefined,
  };
}

export function trialSearch(raw: Raw): TrialSearch {
  return {
    ...runSearch(raw),
    span: text(raw['span']),
    step: text(raw['step']),
    raw: raw['raw'] === true ? (true as const) : undefined,
  };
}
