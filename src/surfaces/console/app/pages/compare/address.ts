import { type Raw, text } from '../../addresses.ts';

export interface CompareSearch {
  /** The run it is compared with; left out, the one before it. */
  with?: string | undefined;
  /** Also what did not change. */
  all?: true | undefined;
}

export function compareSearch(raw: Raw): CompareSearch {
  return { with: text(raw['with']), all: raw['all'] === true ? (true as const) : undefined };
}

export interface TracesSearch extends CompareSearch {
  /** The trial of the other run, and the one of this. */
  base?: string | undefined;
  trial?: string | undefined;
}

export function tracesSearch(raw: Raw): TracesSearch {
  return { ...compareSearch(raw), base: text(raw['base']), trial: text(raw['trial']) };
}
