import type { Client } from '../../client/index.ts';
import type { Report, ReportCase } from '../../findings/report.ts';

export type ContractCheck = Awaited<ReturnType<Client['checkServerContract']>>;
type Difference = ContractCheck['differences'][number];

export function contractReport(server: string, check: ContractCheck): Report {
  const { differences } = check;
  return {
    title: `Contract of ${server}`,
    summary: sentence(check),
    suites: [{ name: `Contract of ${server}`, cases: casesOf(check) }],
    tables: [
      {
        columns: ['Impact', 'Where', 'What'],
        rows: differences.map(({ impact, subject, pointer, message }) => [
          impact,
          `${subject} ${pointer}`,
          message,
        ]),
      },
    ],
  };
}

/** The report of a check whose server could not be reached. */
export function unreachedReport(title: string, name: string, message: string): Report {
  const cases: ReportCase[] = [{ name, outcome: 'error', message }];
  return { title, summary: `INCOMPLETE: ${message}`, suites: [{ name: title, cases }], tables: [] };
}

export function contractNotes({ truncated }: ContractCheck): string[] {
  return truncated ? ['Not all differences are listed.'] : [];
}

function sentence({ result, counts: { breaking, risky, safe }, failOn }: ContractCheck): string {
  const total = breaking + risky + safe;
  if (total === 0) return 'PASSED: no changes since the baseline.';
  const fails = failOn === 'risky' ? '; risky changes fail too' : '';
  return `${result.toUpperCase()}: ${breaking} breaking, ${risky} risky, ${safe} safe${fails}.`;
}

/** One case for each tool, prompt or resource that differs. */
function casesOf({ differences, failOn }: ContractCheck): ReportCase[] {
  if (differences.length === 0) return [{ name: 'unchanged', outcome: 'passed' }];
  const bySubject = new Map<string, Difference[]>();
  for (const one of differences) bySubject.set(one.subject, [...(bySubject.get(one.subject) ?? []), one]);
  return [...bySubject].map(([name, those]) => {
    const bad = those.filter(
      ({ impact }) => impact === 'breaking' || (impact === 'risky' && failOn === 'risky'),
    );
    const [first] = bad;
    const details = those
      .map(({ impact, pointer, message }) => `${impact} ${pointer}: ${message}`)
      .join('\n');
    return first
      ? { name, outcome: 'failed', message: `${first.impact}: ${first.message}`, details }
      : { name, outcome: 'passed', details };
  });
}
