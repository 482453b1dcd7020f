import { z } from 'zod';
import { JsonBounds } from '../platform/json-bounds.ts';
import { type ReportedTest, Tests, UnreadableReport } from './report.ts';

/** What is parsed, and looked at, in well under a second; a report of ten thousand tests has a third of it. */
const limits = { elements: 300_000, depth: 64, keys: 50_000 };

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

/** Reads what `jest --json` and `vitest --reporter=json` write. */
export function readJest(content: string): ReportedTest[] {
  const { testResults } = checked(JestReport, jsonOf(content), '');
  const tests = new Tests();
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
    // A file that could not even be loaded has no tests, and is no success.
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

/** Piece by piece, so that the first that is wrong is the only one that is told about. */
function checked<T>(schema: z.ZodType<T>, value: unknown, at: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [at, ...(issue?.path ?? [])].filter((part) => part !== '').join('.');
  throw new UnreadableReport(
    `It is no report of Jest or Vitest: ${[where, issue?.message].filter(Boolean).join(': ')}`,
  );
}

function jsonOf(content: string): unknown {
  // Some programs put a byte order mark before it.
  const json = content.replace(/^\uFEFF/, '');
  refuseLarge(json);
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UnreadableReport(`It is no JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

function refuseLarge(json: string): void {
  const tooMuch = (): Error =>
    new UnreadableReport(
      `As JSON it may have ${limits.elements.toLocaleString('en')} values, ${limits.keys.toLocaleString('en')} in one object and ${limits.depth} levels; write it as JUnit XML`,
    );
  new JsonBounds(limits, tooMuch).feed(Buffer.from(json));
}
