import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJest } from './jest.ts';
import { readJunit } from './junit.ts';
import { UnreadableReport } from './report.ts';

describe('JUnit', () => {
  test('reads suites within suites, and every verdict', () => {
    const report = `<?xml version="1.0"?>
      <testsuites name="all">
        <testsuite name="dock" file="dock.test.ts">
          <testsuite name="hull">
            <testcase name="floats" classname="hull" time="0.0125"/>
            <testcase name="leaks" classname="Bottom" time="1,234.5">
              <failure message="water &amp; mud" type="X">at line 3 <![CDATA[a < b]]></failure>
              <failure message="later"/>
            </testcase>
            <testcase name="breaks"><error>no ship</error><system-out>noise</system-out></testcase>
            <testcase name="waits"><skipped message="no tide"/></testcase>
            <testcase name="flaky"><flakyFailure message="once"/></testcase>
          </testsuite>
        </testsuite>
        <testsuite name="other"><testcase name="ok" file="o.ts" time="x"/></testsuite>
      </testsuites>`;
    expect(readJunit(report)).toEqual([
      { suite: 'dock > hull', name: 'floats', file: 'dock.test.ts', result: 'passed', durationMs: 13 },
      {
        suite: 'dock > hull > Bottom',
        name: 'leaks',
        file: 'dock.test.ts',
        result: 'failed',
        durationMs: 1_234_500,
        message: 'water & mud\nat line 3 a < b',
      },
      { suite: 'dock > hull', name: 'breaks', file: 'dock.test.ts', result: 'failed', message: 'no ship' },
      { suite: 'dock > hull', name: 'waits', file: 'dock.test.ts', result: 'skipped', message: 'no tide' },
      { suite: 'dock > hull', name: 'flaky', file: 'dock.test.ts', result: 'passed' },
      { suite: 'other', name: 'ok', file: 'o.ts', result: 'passed' },
    ]);
  });

  test.each([
    ['', /no XML/],
    ['{}', /no XML/],
    ['<html/>', /begins with <html>/],
    ['<testsuites><testsuite></testsuites>', /no XML: 1:/],
    ['<testsuites>&boom;</testsuites>', /no XML/],
    [`<testsuite>${'<a>'.repeat(70)}`, /nested deeper/],
    [`<testsuite>${'<testcase name="x"/>'.repeat(10_001)}</testsuite>`, /more than 10,000 tests/],
  ])('refuses %.40s', (report, why) => {
    expect(() => readJunit(report)).toThrow(UnreadableReport);
    expect(() => readJunit(report)).toThrow(why);
  });

  test('expands no entities, whatever the document declares', () => {
    const lol = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const report = `<!DOCTYPE x [<!ENTITY l0 "lol">${lol}]><testsuite><testcase name="&l9;"/></testsuite>`;
    expect(() => readJunit(report)).toThrow(UnreadableReport);
  });

  test('a failure that goes on for ever is cut', () => {
    const [read] = readJunit(
      `<testsuite><testcase name="${'n'.repeat(9_000)}"><failure>${'x'.repeat(5_000_000)}</failure></testcase></testsuite>`,
    );
    expect(read?.message).toHaveLength(2_000);
    expect(read?.name).toHaveLength(500);
  });
});

describe('Jest and Vitest', () => {
  test('reads tests, and files that could not be loaded', () => {
    const report = {
      numTotalTests: 4,
      testResults: [
        {
          name: '/w/dock.test.ts',
          status: 'failed',
          assertionResults: [
            { ancestorTitles: ['', 'dock', 'hull'], title: 'floats', status: 'passed', duration: 12.6 },
            { title: 'leaks', fullName: 'dock leaks', status: 'failed', failureMessages: ['water', 'mud'] },
            { ancestorTitles: [], title: 'later', status: 'todo', duration: null },
          ],
        },
        { name: '/w/broken.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] },
      ],
    };
    expect(readJest(JSON.stringify(report))).toEqual([
      { suite: 'dock > hull', name: 'floats', file: '/w/dock.test.ts', result: 'passed', durationMs: 13 },
      { suite: '', name: 'leaks', file: '/w/dock.test.ts', result: 'failed', message: 'water\nmud' },
      { suite: '', name: 'later', file: '/w/dock.test.ts', result: 'skipped' },
      {
        suite: '',
        name: '/w/broken.test.ts',
        file: '/w/broken.test.ts',
        result: 'failed',
        message: 'SyntaxError',
      },
    ]);
  });

  test.each([
    ['<a/>', /no JSON/],
    ['[]', /no report of Jest or Vitest/],
    ['{"testResults": [{"assertionResults": [{}]}]}', /testResults\.0\.assertionResults\.0\.status/],
  ])('refuses %s', (report, why) => {
    expect(() => readJest(report)).toThrow(why);
  });
});

test('whatever is no report is refused as such, and nothing else happens', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .array(
        fc.constantFrom(
          '<testsuite',
          '<testcase',
          ' name="a"',
          '>',
          '/>',
          '</testsuite>',
          '<![CDATA[',
          ']]>',
          '&lt;',
          '<failure>',
          '</failure>',
          '</testcase>',
          '\0',
          '\ud800',
        ),
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (content) => {
      for (const read of [readJunit, readJest])
        expect(outcomeOf(() => read(content))).toMatch(/^(?:Array|UnreadableReport)$/);
    }),
    { numRuns: 2_000 },
  );
});

function outcomeOf(work: () => object): string {
  try {
    return work().constructor.name;
  } catch (error) {
    return (error as Error).name;
  }
}
