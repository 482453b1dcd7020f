import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import css from './state.module.css';

/** Every state that anything here can be in: each has a shape, a word and a colour, in this order of weight. */
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

/** Filled shapes are verdicts; outlines are what is not decided. */
const shapes: Record<State, ReactNode> = {
  passed: (
    <>
      <circle cx="8" cy="8" r="6.5" className={css.fill} />
      <path d="m5 8.2 2.2 2.200L11 6" className={css.cut} />
    </>
  ),
  failed: (
    <>
      <rect x="2" y="2" width="12" height="12" rx="1.5" className={css.fill} />
      <path d="m5.5 5.5 5 5m0-5-5 5" className={css.cut} />
    </>
  ),
  inconclusive: (
    <>
      <path d="M8 1.5 14.5 8 8 14.5 1.5 8z" className={css.fill} />
      <path d="M6.6 6.600c0-2 2.9-1.9 2.9-.1 0 1.2-1.5 1.2-1.5 2.400m0 1.700v.2" className={css.cut} />
    </>
  ),
  notEstablished: <circle cx="8" cy="8" r="6" className={css.dashed} />,
  notMeasured: (
    <>
      <circle cx="8" cy="8" r="6" className={css.dashed} />
      <path d="M5.5 8h5" className={css.line} />
    </>
  ),
  flaky: (
    <>
      <circle cx="8" cy="8" r="6.5" className={css.fill} />
      <path d="m4 9 2-2.500L8 9l2-2.500L12 9" className={css.cut} />
    </>
  ),
  waived: (
    <>
      <path d="M8 1.5 14 4v4.200c0 3-2.4 5.3-6 6.5-3.6-1.2-6-3.5-6-6.500V4z" className={css.fill} />
      <path d="m5.5 8 1.8 1.800L10.7 6.4" className={css.cut} />
    </>
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="6" className={css.track} />
      <path d="M8 2a6 6 0 0 1 6 6" className={css.thick} />
    </>
  ),
  grading: (
    <>
      <circle cx="8" cy="8" r="6" className={css.track} />
      <path d="M8 2a6 6 0 1 1-6 6" className={css.thick} />
    </>
  ),
  pending: <circle cx="8" cy="8" r="5.5" className={css.line} />,
  skipped: <path d="m3 4.5 4 3.5-4 3.500m5-7 4 3.5-4 3.5" className={css.thick} />,
  cancelled: (
    <>
      <circle cx="8" cy="8" r="6" className={css.line} />
      <path d="m4 12 8-8" className={css.line} />
    </>
  ),
  timedOut: (
    <>
      <circle cx="8" cy="8" r="6" className={css.line} />
      <path d="M8 4.500V8l2.5 1.8" className={css.line} />
    </>
  ),
  setupFailed: (
    <>
      <path d="M8 1.5 15 14H1z" className={css.fill} />
      <path d="M8 6v3.500m0 2v.1" className={css.cut} />
    </>
  ),
  attention: (
    <>
      <path d="M8 1.5 15 14H1z" className={css.fill} />
      <path d="M8 6v3.500m0 2v.1" className={css.cut} />
    </>
  ),
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

/** The shape alone. Without `label` a word must stand beside it. */
export function Glyph({ state, size = 14, label }: { state: State; size?: number; label?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      className={classes(css.glyph, colours[state])}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined || undefined}
      focusable="false"
    >
      {shapes[state]}
    </svg>
  );
}

/** Shape and word. */
export function StateMark({ state, children }: { state: State; children?: ReactNode }) {
  return (
    <span className={classes(css.mark, colours[state])}>
      <Glyph state={state} />
      <span>{children ?? words[state]}</span>
    </span>
  );
}

/** The same on a ground, where it is the headline. */
export function StateBadge({ state, children }: { state: State; children?: ReactNode }) {
  return (
    <span className={classes(css.mark, css.badge, colours[state])}>
      <Glyph state={state} />
      <span>{children ?? words[state]}</span>
    </span>
  );
}
