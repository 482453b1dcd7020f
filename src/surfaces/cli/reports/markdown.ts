import type { Report, ReportCase, ReportTable } from '../../findings/report.ts';

/** Maximum rows of a table: GitHub limits a job summary to 1 MiB. */
const maxRows = 200;
const maxCellLength = 300;

const marks: Record<ReportCase['outcome'], string> = {
  passed: '✅',
  failed: '❌',
  error: '⚠️',
  skipped: '⏭️',
};

/** The report as Markdown for a pull request. */
export function toMarkdown({ title, outcome, summary, suites, tables }: Report): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const failing = cases.filter(({ outcome }) => outcome === 'failed' || outcome === 'error');
  const mark = marks[outcome ?? worst(cases)];
  const failures: ReportTable = {
    heading: 'Failures',
    columns: ['', 'Case', 'Why'],
    rows: failing.map(({ name, outcome, message = '' }) => [marks[outcome], name, message]),
  };
  const shown = tables.length === 0 ? [failures] : tables;
  return `${[`## ${mark} ${plain(title)}`, plain(summary), ...shown.flatMap(tableOf)].join('\n\n')}\n\n`;
}

function worst(cases: readonly ReportCase[]): ReportCase['outcome'] {
  const there = new Set(cases.map(({ outcome }) => outcome));
  if (there.has('failed')) return 'failed';
  if (there.has('error')) return 'error';
  return there.has('skipped') && !there.has('passed') ? 'skipped' : 'passed';
}

function tableOf({ heading, columns, rows }: ReportTable): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  const more = rows.length - maxRows;
  const table = [
    line(columns),
    `|${columns.map(() => '---').join('|')}|`,
    ...rows.slice(0, maxRows).map(line),
  ].join('\n');
  return [
    ...(heading === undefined ? [] : [`### ${plain(heading)}`]),
    table,
    ...(more > 0 ? [`And ${more} more.`] : []),
  ];
}

/**
 * Escapes text for one table cell: characters that could start a link, an image, code, HTML, a mention or another cell
 * become character references, which Markdown shows as the character.
 */
function plain(text: string): string {
  const line = text
    .slice(0, maxCellLength + 1)
    .toWellFormed()
    // Removes characters that reorder or hide text: bidirectional marks and zero-width characters.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const cut = text.length > maxCellLength ? `${line.slice(0, maxCellLength - 1).toWellFormed()}…` : line;
  return cut.replaceAll(/[&<>"'`|\\*_~[\]()!#@:]/g, (one) => `&#${one.charCodeAt(0)};`);
}
