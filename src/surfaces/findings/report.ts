/** The findings of a command, from which reports are made. Every text may come from a server, a model or a file. */
export interface Report {
  title: string;
  /** The outcome of the whole report, if the cases do not show it. */
  outcome?: ReportCase['outcome'] | undefined;
  /** One sentence. */
  summary: string;
  suites: readonly ReportSuite[];
  tables: readonly ReportTable[];
}

export interface ReportSuite {
  name: string;
  cases: readonly ReportCase[];
}

export interface ReportCase {
  name: string;
  /** `error`: the case could not be judged. */
  outcome: 'passed' | 'failed' | 'error' | 'skipped';
  durationMs?: number | undefined;
  /** The reason for the outcome, in one line. */
  message?: string | undefined;
  /** Further details, in lines. */
  details?: string | undefined;
}

export interface ReportTable {
  heading?: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}
