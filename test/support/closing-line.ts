import type { Reporter, TestModule } from 'vitest/node';
import { programs } from './programs.ts';

/** Ends the run with what was left out for want of a program, and with one line that any tool can read. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    const leftOut = new Map<string, number>();
    for (const module of modules) {
      failed += module.errors().length;
      const tests = [...module.children.allTests()];
      passed += tests.filter((test) => test.result().state === 'passed').length;
      failed += tests.filter((test) => test.result().state === 'failed').length;
      const skipped = tests.filter((test) => test.result().state === 'skipped');
      for (const name of skipped.flatMap(({ tags }) => missing(tags)))
        leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
    }
    const lines = [...leftOut].map(([name, count]) => `left out: ${testsNeed(count)} ${name}\n`);
    // After the summary of the default reporter.
    process.once('exit', () => process.stdout.write(`${lines.join('')}${passed} passed, ${failed} failed\n`));
  }
}

/** Names of the programs that a test needs and the machine lacks. */
function missing(tags: readonly string[]): string[] {
  return Object.entries(programs)
    .filter(([tag, { there }]) => !there && tags.includes(tag))
    .map(([, { name }]) => name);
}

function testsNeed(count: number): string {
  return count === 1 ? '1 test needs' : `${count} tests need`;
}
