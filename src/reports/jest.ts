import { z } from 'zod';
import { JsonBounds, maxDepth } from '../platform/json/bounds.ts';
import { type ReportedTest, TestCollector, UnreadableReport } from './report.ts';

/**
 * Limits with which parsing and validation take well under a second. A report of ten thousand tests has a third as many
 * elements.
 */
const limits = { elements: 300_000, depth: maxDepth, keys: 50_000 };

const text = z.string().nullish();
const Assertion = z.looseObject({
  ancestorTitles: z.array(z.string()).max(64).nullish(),
  title: text,
  fullName: text,
  status: z.string(),
  duration: z.number().nullish(),
  failureMessages: z.array(z.string()).nullish(),
});
const TestFile = z.looseObject({
  name: text,
  status: text,
  message: text,
  assertionResults: z.array(z.unknown()),
});
const JestReport = z.looseObject({ testResults: z.array(z.unknown()) });

/** Reads the output of `jest --json` and `vitest --reporter=json`. */
export function readJest(content: string): ReportedTest[] {
  const { testResults } = checked(JestReport, jsonOf(content), '');
  const tests = new TestCollector();
  for (const [nth, one] of testResults.entries()) {
    const at = `testResults.${nth}`;
    const { name, status, message, assertionResults } = checked(TestFile, one, at);
    const assertions = assertionResults.map((each, n) =>
      checked(Assertion, each, `${at}.assertionResults.${n}`),
    );
    const file = name ?? undefined;
    for (const one of assertions)
      tests.add({
        suite: (one.ancestorTitles ?? []).filter(Boolean).join(' > '),
        name: one.title ?? one.fullName ?? '',
        file,
        result: one.status === 'passed' ? 'passed' : one.status === 'failed' ? 'failed' : 'skipped',
        durationMs: one.duration ?? undefined,
        message: one.failureMessages?.join('\n'),
      });
    // A file that failed to load has no tests, but counts as a failure.
    if (status === 'failed' && !assertions.some((one) => one.status === 'failed'))
      tests.add({
        suite: '',
        name: file ?? 'A test file',
        file,
        result: 'failed',
        message: message ?? undefined,
      });
  }
  return tests.list;
}

/** Validates one piece of the report, and throws its first error. */
function checked<T>(schema: z.ZodType<T>, value: unknown, at: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [at, ...(issue?.path ?? [])].filter((part) => part !== '').join('.');
  throw new UnreadableReport(
    `Not a report of Jest or Vitest: ${[where, issue?.message].filter(Boolean).join(': ')}`,
  );
}

function jsonOf(content: string): unknown {
  // Some programs write a byte order mark first.
  const json = content.replace(/^\uFEFF/, '');
  refuseLarge(json);
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UnreadableReport(`Not valid JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

function refuseLarge(json: string): void {
  const tooMuch = (): Error =>
    new UnreadableReport(
      `As JSON it may have ${limits.elements.toLocaleString('en')} values, ${limits.keys.toLocaleString('en')} in one object and ${limits.depth} levels; write it as JUnit XML`,
    );
  new JsonBounds(limits, tooMuch).feed(Buffer.from(json));
}
