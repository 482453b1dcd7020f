import { compileJavaScript, newWork, type Pattern, type Work } from '../text/pattern.ts';

/**
 * Maximum steps of the validations of one request, which take a third of a second at worst. A value of 100,000 parts
 * with a plain schema takes a third of them.
 */
const stepLimit = 2_000_000;

export class EffortExceeded extends Error {}

/** The remaining budget of validation steps, shared by all validations of one request. */
export interface Effort {
  steps: number;
  work: Work;
  /** Compiled per request, because a compiled pattern caches much of what it has matched. */
  patterns: Map<string, Pattern>;
}

export function newEffort(): Effort {
  return { steps: stepLimit, work: newWork(), patterns: new Map() };
}

/**
 * The effort of the validation in progress. Module state is safe because validation is synchronous, and necessary
 * because the library cannot pass a context to custom keywords.
 */
let current = newEffort();

export function within<Made>(effort: Effort, make: () => Made): Made {
  current = effort;
  return make();
}

export function spend(steps: number): void {
  current.steps -= steps;
  if (current.steps < 0) throw new EffortExceeded();
}

/**
 * Searches a text for a pattern that is known to compile. Counts against the current effort limit; throws
 * `EffortExceeded` beyond it.
 */
export function searchWithinEffort(source: string, text: string): boolean {
  let pattern = current.patterns.get(source);
  if (!pattern) {
    const compiled = compileJavaScript(source, { unicode: true });
    if ('problem' in compiled) throw new Error(compiled.problem);
    pattern = compiled.pattern;
    current.patterns.set(source, pattern);
  }
  const found = pattern.test(text, current.work);
  if (found === undefined) throw new EffortExceeded();
  return found;
}
