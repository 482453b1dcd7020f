import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { readJunit } from '../../../reports/junit.ts';
import type { Report } from '../../findings/report.ts';
import { toJunit } from './junit.ts';
import { toMarkdown } from './markdown.ts';

const report = (over: Partial<Report> = {}): Report => ({
  title: 'Contract of harbour',
  summary: 'FAILED: 1 breaking.',
  suites: [
    {
      name: 'contract',
      cases: [
        { name: 'tool look', outcome: 'failed', message: 'It is gone', details: 'a\nb', durationMs: 1234 },
        { name: 'tool paint', outcome: 'passed' },
        { name: 'tool sink', outcome: 'skipped', message: 'Not read-only' },
        { name: 'tool reach', outcome: 'error', message: 'No answer' },
      ],
    },
  ],
  tables: [],
  ...over,
});

test('JUnit says how many failed and why, as our own reader reads it', () => {
  const xml = toJunit(report());
  expect(xml).toContain(
    '<testsuites name="Contract of harbour" tests="4" failures="1" errors="1" skipped="1" time="1.234">',
  );
  expect(readJunit(xml)).toMatchObject([
    { name: 'tool look', result: 'failed', durationMs: 1234, message: expect.stringContaining('It is gone') },
    { name: 'tool paint', result: 'passed' },
    { name: 'tool sink', result: 'skipped' },
    { name: 'tool reach', result: 'failed' },
  ]);
});

test('Markdown shows the tables, or what failed where there are none', () => {
  expect(toMarkdown(report())).toBe(`## ❌ Contract of harbour

FAILED&#58; 1 breaking.

### Failures

|  | Case | Why |
|---|---|---|
| ❌ | tool look | It is gone |
| ⚠️ | tool reach | No answer |

`);
  const rows = Array.from({ length: 203 }, (_, n) => [`${n}`, 'x'.repeat(400)]);
  const long = toMarkdown(report({ tables: [{ columns: ['Nth', 'What'], rows }] }));
  expect(long).toContain('And 3 more.');
  expect(long).toContain(`| 0 | ${'x'.repeat(299)}… |`);
  expect(toMarkdown(report({ suites: [] }))).toMatch(/^## ✅/);
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '</testcase><x a="',
    ']]>',
    '&bomb;',
    'a | b\n## c',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:1) ![y](http://evil)',
    '`code` **b** @team #12 https://evil',
    '\u0000\u001b[31m\ud800\ufffe\u202e',
  ),
);

test('nothing that a server says gets out of its place, in XML or in Markdown', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (name, message, details) => {
      const made = report({
        title: name,
        summary: message,
        suites: [{ name, cases: [{ name, outcome: 'failed', message, details }] }],
        tables: [{ heading: message, columns: ['a', 'b'], rows: [[name, details]] }],
      });
      const elements: string[] = [];
      const parser = new SaxesParser();
      parser.on('error', (error) => {
        throw error;
      });
      parser.on('opentag', (tag) => elements.push(tag.name));
      parser.write(toJunit(made)).close();
      expect(elements).toEqual(['testsuites', 'testsuite', 'testcase', 'failure']);

      const lines = toMarkdown(made).split('\n');
      expect(lines).toHaveLength(11);
      for (const line of lines)
        expect(line.replace(/^#+ /, '')).not.toMatch(
          /[<>`[\]()!@\\*_\u0000-\u001f\u202e]|#(?!\d+;)|&(?!#\d+;)|:/,
        );
      expect(lines[8]?.split('|')).toHaveLength(4);
    }),
  );
});
