import type { Figure } from './figures.ts';

/** A figure of Drydock beside another program that does the same work, measured in one run. */
interface Comparison {
  work: string;
  /** The other program. */
  beside: string;
  ratio: Figure;
}

/** The comparisons of this process, for `npm run bench -- peers`. */
export const comparisons: Comparison[] = [];
