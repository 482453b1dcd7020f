import { z } from 'zod';
import { type ReportedTest, Tests, UnreadableReport } from './report.ts';

const text = z.string().nullish();
const Assertion = z.looseObject({
  ancestorTitles: z.array(z.string()).max(64).nullish(),
  title: text,
  fullName: text,
  status: z.string(),
  duration: z.number().nullish(),
  failureMessages: z.array(z.string()).nullish(),
});
const JestReport = z.looseObject({
  testResults: z.array(
    z.looseObject({
      name: text,
      status: text,
      message: text,
      assertionResults: z.array(Assertion),
    }),
  ),
});

/** Reads what `jest --json` and `vitest --reporter=json` write. */
export function readJest(content: string): ReportedTest[] {
  const parsed = JestReport.safeParse(jsonOf(content));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UnreadableReport(
      `It is no report of Jest or Vitest: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}`,
    );
  }
  const tests = new Tests();
  for (const { name, status, message, assertionResults } of parsed.data.testResults) {
    const file = name ?? undefined;
    for (const one of assertionResults)
      tests.add({
        suite: (one.ancestorTitles ?? []).filter(Boolean).join(' > '),
        name: one.title ?? one.fullName ?? '',
        file,
        result: one.status === 'passed' ? 'passed' : one.status === 'failed' ? 'failed' : 'skipped',
        durationMs: one.duration ?? undefined,
        message: one.failureMessages?.join('\n'),
      });
    // A file that could not even be loaded has no tests, and is no success.
    if (status === 'failed' && !assertionResults.some((one) => one.status === 'failed'))
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

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new UnreadableReport(`It is no JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}
