import { compileJavaScript, newWork, type Pattern, type Work } from '../text/pattern.ts';

/** A third of a second at worst. A value of 100,000 parts takes a third of them, if its schema is plain. */
const stepLimit = 2_000_000;

export class OutOfSteps extends Error {}

/** The remaining budget of validation steps, shared by all validations of one request. */
export interface Effort {
  steps: number;
  work: Work;
  /** Compiled for this time only: a pattern remembers much of what it has read. */
  patterns: Map<string, Pattern>;
}

export function newEffort(): Effort {
  return { steps: stepLimit, work: newWork(), patterns: new Map() };
}

/**
 * Validation is synchronous, and the library that does it cannot hand anything through to our keywords, so the effort
 * of the one that is going on stands here.
 */
let current = newEffort();

export function within<Made>(effort: Effort, make: () => Made): Made {
  current = effort;
  return make();
}

export function spend(steps: number): void {
  current.steps -= steps;
  if (current.steps < 0) throw new OutOfSteps();
}

/** Whether a pattern, known to be usable, is found in a text. */
export function isFound(source: string, text: string): boolean {
  let pattern = current.patterns.get(source);
  if (!pattern) {
    const compiled = compileJavaScript(source, { unicode: true });
    if ('problem' in compiled) throw new Error(compiled.problem);
    pattern = compiled.pattern;
    current.patterns.set(source, pattern);
  }
  const found = pattern.test(text, current.work);
  if (found === undefined) throw new OutOfSteps();
  return found;
}
