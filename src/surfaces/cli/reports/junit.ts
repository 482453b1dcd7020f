import type { Report, ReportCase, ReportSuite } from '../../findings/report.ts';

const maxTextLength = 20_000;

/** The report as JUnit XML for CI systems. */
export function toJunit({ title, suites }: Report): string {
  const all = suites.flatMap(({ cases }) => cases);
  const lines = suites.flatMap((suite) => [
    `  <testsuite ${attributes({ name: suite.name, ...counts(suite.cases) })}>`,
    ...suite.cases.map((one) => caseOf(one, suite)),
    '  </testsuite>',
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: title, ...counts(all) })}>`,
    ...lines,
    '</testsuites>',
    '',
  ].join('\n');
}

function counts(cases: readonly ReportCase[]): Record<string, string> {
  const of = (outcome: ReportCase['outcome']): string =>
    String(cases.filter((one) => one.outcome === outcome).length);
  const ms = cases.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
  return {
    tests: String(cases.length),
    failures: of('failed'),
    errors: of('error'),
    skipped: of('skipped'),
    time: seconds(ms),
  };
}

function caseOf({ name, outcome, durationMs, message, details }: ReportCase, suite: ReportSuite): string {
  const time = durationMs === undefined ? {} : { time: seconds(durationMs) };
  const open = `    <testcase ${attributes({ name, classname: suite.name, ...time })}`;
  const said = message === undefined ? '' : ` ${attributes({ message })}`;
  const text = details === undefined ? '' : escaped(details);
  switch (outcome) {
    case 'passed':
      return text === '' ? `${open}/>` : `${open}><system-out>${text}</system-out></testcase>`;
    case 'skipped':
      return `${open}><skipped${said}/></testcase>`;
    default:
      return outcome === 'failed'
        ? `${open}><failure${said}>${text}</failure></testcase>`
        : `${open}><error${said}>${text}</error></testcase>`;
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attributes(values: Record<string, string>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}="${escaped(value).replaceAll(/[\t\n\r]/g, (one) => `&#${one.charCodeAt(0)};`)}"`,
    )
    .join(' ');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0 does not allow most control characters, U+FFFE and U+FFFF; they become U+FFFD. */
function escaped(text: string): string {
  return text
    .slice(0, maxTextLength)
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"]/g, (one) => entities[one] as string);
}
