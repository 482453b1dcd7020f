import type { addSuite } from '../../eval-suites/create.ts';
import type { Suite } from '../../eval-suites/suite.ts';
import type { Selection } from '../../execution/selection.ts';
import type { Test } from './cases.ts';
import type { Overrides } from './plan.ts';
import type { Identity } from './replay.ts';

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
