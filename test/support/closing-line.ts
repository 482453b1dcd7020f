import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { laneOf, recordDurations } from './durations.ts';
import { programs } from './programs.ts';

const slowestShown = 10;

/** Writes the durations of this run into the record that the order of files comes from. */
const isRecorded = process.env['DRYDOCK_TEST_RECORD'] === '1';

/** Ends the run with its time, its slowest files, missing programs, failed tests, and the counts as the last line. */
export default class ClosingLine implements Reporter {
  private readonly begun = performance.now();
  private root = '';
  private lane = '';

  onInit({ config }: Vitest): void {
    this.root = config.root;
    this.lane = laneOf(config.tagsFilter);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    const failures = errors.map((error) => `failed: ${firstLine(error)}`);
    const leftOut = new Map<string, number>();
    const seconds: [file: string, seconds: number][] = [];
    for (const module of modules) {
      failed += module.errors().length;
      const file = relative(this.root, module.moduleId);
      failures.push(...module.errors().map((error) => `failed: ${file}: ${firstLine(error)}`));
      const tests = [...module.children.allTests()];
      const ran = tests.filter((test) => test.result().state !== 'skipped');
      passed += ran.filter((test) => test.result().state === 'passed').length;
      failed += ran.filter((test) => test.result().state === 'failed').length;
      for (const test of ran.filter((one) => one.result().state === 'failed'))
        failures.push(`failed: ${file} > ${test.fullName}: ${firstLine(test.result().errors?.[0])}`);
      if (ran.length > 0) seconds.push([file, secondsOf(module)]);
      const skipped = tests.filter((test) => test.result().state === 'skipped');
      for (const name of skipped.flatMap(({ tags }) => missing(tags)))
        leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
    }
    if (isRecorded) recordDurations(this.lane, this.root, seconds);
    const slowest = seconds.toSorted(([, a], [, b]) => b - a).slice(0, slowestShown);
    const lines = [
      `${minutes((performance.now() - this.begun) / 1000)} in all; the slowest files:`,
      ...slowest.map(([file, one]) => `${one.toFixed(1).padStart(7)} s  ${file}`),
      ...[...leftOut].map(([name, count]) => `left out: ${testsNeed(count)} ${name}`),
      ...failures,
      `${passed} passed, ${failed} failed`,
    ];
    // After the summary of the default reporter.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}

/** A message of an error on one line of bounded length, without the colours of a terminal. */
function firstLine(error: unknown): string {
  const message = stripVTControlCharacters(
    error instanceof Object && 'message' in error ? String(error.message) : '',
  );
  return (message.split('\n', 1)[0] ?? '').slice(0, 300);
}

function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1000;
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
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
