import { oneOf, type Raw, text } from '../../addresses.ts';

const suiteTabs = ['cases', 'history', 'schedule', 'waivers', 'settings', 'file'] as const;
export type SuiteTab = (typeof suiteTabs)[number];

export const spans = ['20', '50', '100'] as const;

export interface SuiteSearch {
  tab?: SuiteTab | undefined;
  /** The case whose editor is open, or `new`. */
  case?: string | undefined;
  /** Whether the dialog that starts a run is open. */
  run?: true | undefined;
  /** How many runs the history covers. */
  last?: (typeof spans)[number] | undefined;
}

export function suiteSearch(raw: Raw): SuiteSearch {
  return {
    tab: oneOf(suiteTabs, raw['tab']),
    case: text(raw['case']),
    run: raw['run'] === true ? (true as const) : undefined,
    last: oneOf(spans, text(raw['last'])),
  };
}

export interface SuitesSearch {
  /** The open dialog for a new suite: from fields or from a file. */
  make?: 'suite' | 'file' | undefined;
}

export function suitesSearch(raw: Raw): SuitesSearch {
  return { make: oneOf(['suite', 'file'] as const, raw['make']) };
}
