import { type Raw, text } from '../../addresses.ts';

export interface CompareSearch {
  /** The base run; the previous run by default. */
  with?: string | undefined;
  /** Whether unchanged cases are shown too. */
  all?: true | undefined;
}

export function compareSearch(raw: Raw): CompareSearch {
  return { with: text(raw['with']), all: raw['all'] === true ? (true as const) : undefined };
}

export interface TracesSearch extends CompareSearch {
  /** The trials: `base` of the base run, `trial` of this run. */
  base?: string | undefined;
  trial?: string | undefined;
}

export function tracesSearch(raw: Raw): TracesSearch {
  return { ...compareSearch(raw), base: text(raw['base']), trial: text(raw['trial']) };
}
