import type { Client } from '../../client/index.ts';
import type { Report, ReportCase } from '../../findings/report.ts';
import { oneLine } from '../../harmless-text.ts';
import { printRows } from '../screen/rows.ts';

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

/** Nothing is known of the contract: the server could not be asked. */
export function unreachedReport(title: string, name: string, message: string): Report {
  const cases: ReportCase[] = [{ name, outcome: 'error', message }];
  return { title, summary: `INCOMPLETE: ${message}`, suites: [{ name: title, cases }], tables: [] };
}

export function printContract(check: ContractCheck): void {
  if (check.differences.length > 0)
    printRows(
      check.differences,
      {
        Impact: ({ impact }) => impact,
        Where: ({ subject, pointer }) => oneLine(`${subject} ${pointer}`, 80),
        What: ({ message }) => oneLine(message, 160),
      },
      false,
    );
  if (check.truncated) process.stdout.write('There are more differences than are listed.\n');
  process.stdout.write(`${check.differences.length > 0 ? '\n' : ''}${sentence(check)}\n`);
}

function sentence({ result, counts: { breaking, risky, safe }, failOn }: ContractCheck): string {
  const total = breaking + risky + safe;
  if (total === 0) return 'PASSED: nothing changed since the baseline.';
  const fails = failOn === 'risky' ? ', and risky ones fail too' : '';
  return `${result.toUpperCase()}: ${breaking} breaking, ${risky} risky, ${safe} safe${fails}.`;
}

/** One for each thing of the server that differs. */
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
