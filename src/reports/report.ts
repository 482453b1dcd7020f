/** What a test runner wrote about one test. */
export interface ReportedTest {
  /** The suites or the class it stands in, from the outside in. */
  suite: string;
  name: string;
  file?: string | undefined;
  result: 'passed' | 'failed' | 'skipped';
  durationMs?: number | undefined;
  /** Why it failed or was skipped. */
  message?: string | undefined;
}

/** Not a report, or one that is beyond the bounds; the message says what and where. */
export class UnreadableReport extends Error {
  override name = 'UnreadableReport';
}

const mostTests = 10_000;
const mostText = 500;
const mostMessage = 2_000;
/** Milliseconds, a little less than 25 days; whatever is longer was not measured. */
const longest = 2_147_483_647;

/** Gathers tests within bounds. */
export class Tests {
  readonly list: ReportedTest[] = [];

  add({ suite, name, file, message, durationMs, result }: ReportedTest): void {
    if (this.list.length >= mostTests)
      throw new UnreadableReport(`It has more than ${mostTests.toLocaleString('en')} tests`);
    const took =
      durationMs !== undefined && Number.isFinite(durationMs) && durationMs >= 0 && durationMs <= longest;
    this.list.push({
      suite: cut(suite),
      name: cut(name),
      ...(file && { file: cut(file) }),
      result,
      ...(took && { durationMs: Math.round(durationMs) }),
      ...(message && { message: cut(message, mostMessage) }),
    });
  }
}

/** The beginning says why. Characters that cannot be stored are replaced. */
export function cut(text: string, most = mostText): string {
  const trimmed = text.trim();
  const short = trimmed.length > most ? `${trimmed.slice(0, most - 1)}…` : trimmed;
  return short.toWellFormed().replaceAll('\0', '\ufffd');
}
