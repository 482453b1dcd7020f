export interface ReportedTest {
  /** The suites or class of the test, outermost first. */
  suite: string;
  name: string;
  file?: string | undefined;
  result: 'passed' | 'failed' | 'skipped';
  durationMs?: number | undefined;
  /** Why it failed or was skipped. */
  message?: string | undefined;
}

/** The report is invalid or exceeds the limits. The message says where. */
export class UnreadableReport extends Error {
  override name = 'UnreadableReport';
}

const maxTests = 10_000;
const maxText = 500;
const maxMessage = 2_000;
/** Maximum milliseconds of a duration, almost 25 days. A longer duration is omitted. */
const maxDuration = 2_147_483_647;

/** Collects tests: cuts long texts, omits impossible durations, and throws if there are too many tests. */
export class TestCollector {
  readonly list: ReportedTest[] = [];

  add({ suite, name, file, message, durationMs, result }: ReportedTest): void {
    if (this.list.length >= maxTests)
      throw new UnreadableReport(`The report has more than ${maxTests.toLocaleString('en')} tests`);
    const took =
      durationMs !== undefined && Number.isFinite(durationMs) && durationMs >= 0 && durationMs <= maxDuration;
    this.list.push({
      suite: cut(suite),
      name: cut(name),
      ...(file && { file: cut(file) }),
      result,
      ...(took && { durationMs: Math.round(durationMs) }),
      ...(message && { message: cut(message, maxMessage) }),
    });
  }
}

/** Keeps the start, which contains the cause. Characters that cannot be stored are replaced. */
export function cut(text: string, most = maxText): string {
  const trimmed = text.trim();
  const short = trimmed.length > most ? `${trimmed.slice(0, most - 1)}…` : trimmed;
  return short.toWellFormed().replaceAll('\0', '\ufffd');
}
