import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scaled } from '../../test/support/slowdown.ts';
import { readReport } from './index.ts';
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
    ['', /Not valid XML/],
    ['{}', /Not valid XML/],
    ['<html/>', /begins with <html>/],
    ['<testsuites><testsuite></testsuites>', /Not valid XML: 1:/],
    ['<testsuites>&boom;</testsuites>', /Not valid XML/],
    [`<testsuite>${'<a>'.repeat(70)}`, /nested deeper/],
    [`<testsuite>${'<testcase name="x"/>'.repeat(10_001)}</testsuite>`, /more than 10,000 tests/],
    ['<testsuite><testcase name="a"><failure/><testcase name="b"/></testcase></testsuite>', /within a/],
    [`<testsuite ${Array.from({ length: 1_001 }, (_, n) => `a${n}=""`).join(' ')}/>`, /1,000 attributes/],
    [`<testsuite name="${'n'.repeat(1_000_001)}"/>`, /1,000,000 characters/],
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

test('names that are very long are repeated for every test at no cost', () => {
  const name = 'n'.repeat(900_000);
  const report = `<testsuite name="${name}"><testsuite name="${name}x">${'<testcase time="1e300"/>'.repeat(2_000)}</testsuite></testsuite>`;
  const began = performance.now();
  const tests = readJunit(report);
  expect(performance.now() - began).toBeLessThan(scaled(10_000));
  expect(tests).toHaveLength(2_000);
  // How long it took is beyond what can be stored.
  expect(tests[0]).toEqual({ suite: expect.stringMatching(/^n{499}…$/), name: '', result: 'passed' });
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
    ['<a/>', /Not valid JSON/],
    ['[]', /Not a report of Jest or Vitest/],
    ['{"testResults": [{"assertionResults": [{}]}]}', /testResults\.0\.assertionResults\.0\.status/],
    [`{"testResults": [{"assertionResults": [${'1,'.repeat(299_000)}1]}]}`, /assertionResults\.0: /],
    [`{"testResults": [${'1,'.repeat(2_000_000)}1]}`, /300,000 values/],
    [`{"testResults": ${'['.repeat(1_000)}${']'.repeat(1_000)}}`, /64 levels/],
  ])('refuses %.60s', (report, why) => {
    const began = performance.now();
    expect(() => readJest(report)).toThrow(UnreadableReport);
    expect(() => readJest(report)).toThrow(why);
    expect(performance.now() - began).toBeLessThan(scaled(10_000));
  });

  test('says what can be stored', () => {
    const assertion = { title: 'a\0b', status: 'failed', duration: 1e300, failureMessages: ['\ud800\0'] };
    const report = JSON.stringify({ testResults: [{ name: 'f', assertionResults: [assertion] }] });
    expect(readJest(report)).toEqual([
      { suite: '', name: 'a\ufffdb', file: 'f', result: 'failed', message: '\ufffd\ufffd' },
    ]);
  });
});

describe('the encoding', () => {
  const junit = '<?xml version="1.0"?><testsuite><testcase name="a"/></testsuite>';
  const jest = '{"testResults": [{"assertionResults": [{"title": "a", "status": "passed"}]}]}';
  const read = (content: Buffer) => readReport(Readable.from([content]), 'auto');

  test.each([junit, jest])('may be marked as UTF-8, and may be no other: %.10s', async (report) => {
    for (const marked of [report, `\uFEFF${report}`])
      expect(await read(Buffer.from(marked))).toMatchObject([{ name: 'a', result: 'passed' }]);
    for (const other of [report, `\uFEFF${report}`])
      await expect(read(Buffer.from(other, 'utf16le'))).rejects.toThrow(UnreadableReport);
    await expect(read(Buffer.from(`\uFEFF${report}`, 'utf16le'))).rejects.toThrow(/UTF-8/);
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
