import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import css from './state.module.css';

/** Every state in the console. Each has a shape, a label and a color. */
export type State =
  | 'passed'
  | 'failed'
  | 'inconclusive'
  | 'notEstablished'
  | 'notMeasured'
  | 'flaky'
  | 'waived'
  | 'running'
  | 'grading'
  | 'pending'
  | 'skipped'
  | 'cancelled'
  | 'timedOut'
  | 'setupFailed'
  | 'attention';

const words: Record<State, string> = {
  passed: 'passed',
  failed: 'failed',
  inconclusive: 'inconclusive',
  notEstablished: 'not established',
  notMeasured: 'not measured',
  flaky: 'flaky',
  waived: 'waived',
  running: 'running',
  grading: 'grading',
  pending: 'waiting',
  skipped: 'skipped',
  cancelled: 'cancelled',
  timedOut: 'timed out',
  setupFailed: 'setup failed',
  attention: 'needs attention',
};

export function wordFor(state: State): string {
  return words[state];
}

/** Filled shapes are verdicts; outlines are undecided. */
const shapes: Record<State, string | undefined> = {
  passed: css.passedShape,
  failed: css.failedShape,
  inconclusive: css.inconclusiveShape,
  notEstablished: css.notEstablishedShape,
  notMeasured: css.notMeasuredShape,
  flaky: css.flakyShape,
  waived: css.waivedShape,
  running: css.runningShape,
  grading: css.gradingShape,
  pending: css.pendingShape,
  skipped: css.skippedShape,
  cancelled: css.cancelledShape,
  timedOut: css.timedOutShape,
  setupFailed: css.setupFailedShape,
  attention: css.attentionShape,
};

const colours: Record<State, string | undefined> = {
  passed: css.passed,
  failed: css.failed,
  inconclusive: css.inconclusive,
  notEstablished: css.unknown,
  notMeasured: css.unknown,
  flaky: css.flaky,
  waived: css.waived,
  running: css.running,
  grading: css.running,
  pending: css.unknown,
  skipped: css.unknown,
  cancelled: css.unknown,
  timedOut: css.inconclusive,
  setupFailed: css.inconclusive,
  attention: css.inconclusive,
};

/** Classes for an element that draws the shape and color itself. */
export function stateClasses(state: State): string {
  return classes(shapes[state], colours[state]);
}

/** The shape alone; without `label`, text must stand beside it. One element, because grids have thousands. */
export function Glyph({ state, size = 14, label }: { state: State; size?: 14 | 16; label?: string }) {
  return (
    <span
      className={classes(css.glyph, size === 16 && css.large, shapes[state], colours[state])}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined || undefined}
    />
  );
}

/** A shape with its label. */
export function StateMark({ state, children }: { state: State; children?: ReactNode }) {
  return (
    <span className={classes(css.mark, colours[state])}>
      <Glyph state={state} />
      <span>{children ?? words[state]}</span>
    </span>
  );
}

export function StateBadge({ state, children }: { state: State; children?: ReactNode }) {
  return (
    <span className={classes(css.mark, css.badge, colours[state])}>
      <Glyph state={state} />
      <span>{children ?? words[state]}</span>
    </span>
  );
}
