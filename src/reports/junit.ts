import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { maxDepth } from '../platform/json/bounds.ts';
import { cut, type ReportedTest, TestCollector, UnreadableReport } from './report.ts';

/** Maximum characters of a failure message. */
const maxGathered = 20_000;
/** Maximum attributes of an element, and characters of an attribute. */
const maxAttributes = 1_000;
const maxAttributeLength = 1_000_000;
/** Maximum characters of a duration. */
const maxDurationLength = 40;

/** Results by element. A test that failed first and passed on retry counts as passed. */
const verdicts: Record<string, ReportedTest['result']> = {
  failure: 'failed',
  error: 'failed',
  skipped: 'skipped',
};

interface Open {
  test: ReportedTest;
  /** The text of the result element. */
  text: string;
}

/**
 * Reads a JUnit XML report, as most test runners write it, in chunks. Entities that the document declares are not
 * expanded.
 */
export function junitReader(): { write(text: string): void; end(): ReportedTest[] } {
  const tests = new TestCollector();
  const path: string[] = [];
  const suites: { name: string; file: string | undefined }[] = [];
  let open: Open | undefined;
  let attributes = 0;
  const parser = new SaxesParser<{ position: true; xmlns: false }>({ position: true, xmlns: false });
  parser.on('error', ({ message }) => {
    throw new UnreadableReport(`Not valid XML: ${message.slice(0, 200)}`);
  });
  parser.on('attribute', ({ value }) => {
    if (++attributes > maxAttributes || value.length > maxAttributeLength)
      throw new UnreadableReport(
        `An element has more than ${maxAttributes.toLocaleString('en')} attributes, or one of more than ${maxAttributeLength.toLocaleString('en')} characters`,
      );
  });
  parser.on('opentag', (tag) => {
    attributes = 0;
    if (path.length >= maxDepth)
      throw new UnreadableReport(`The report is nested deeper than ${maxDepth} levels`);
    if (path.length === 0 && !/^testsuites?$/.test(tag.name))
      throw new UnreadableReport(
        `The report begins with <${tag.name.slice(0, 50)}>. A JUnit report begins with <testsuites> or <testsuite>`,
      );
    path.push(tag.name);
    if (tag.name === 'testsuite')
      // All tests inside repeat the name and file.
      suites.push({ name: cut(attribute(tag, 'name') ?? ''), file: attribute(tag, 'file') });
    else if (tag.name === 'testcase') {
      // The result of the outer one would be lost.
      if (open) throw new UnreadableReport('The report has a <testcase> within a <testcase>');
      open = { test: begun(tag, suites), text: '' };
    } else if (open && path.at(-2) === 'testcase') judge(open, tag);
  });
  parser.on('closetag', ({ name }) => {
    path.pop();
    if (name === 'testsuite') suites.pop();
    if (name !== 'testcase' || !open) return;
    const { test, text: said } = open;
    tests.add({ ...test, message: [test.message, said.trim()].filter(Boolean).join('\n') });
    open = undefined;
  });
  const gather = (said: string): void => {
    if (open && Object.hasOwn(verdicts, path.at(-1) ?? '') && open.text.length < maxGathered)
      open.text += said.slice(0, maxGathered);
  };
  parser.on('text', gather);
  parser.on('cdata', gather);
  return {
    write: (text) => void parser.write(text),
    end: () => {
      parser.close();
      return tests.list;
    },
  };
}

export function readJunit(text: string): ReportedTest[] {
  const reader = junitReader();
  reader.write(text);
  return reader.end();
}

function begun(
  tag: SaxesTagPlain,
  suites: readonly { name: string; file: string | undefined }[],
): ReportedTest {
  const names = suites.map(({ name }) => name).filter(Boolean);
  const classname = attribute(tag, 'classname');
  const group = classname === undefined ? undefined : cut(classname);
  const seconds = Number(attribute(tag, 'time')?.slice(0, maxDurationLength).replaceAll(',', ''));
  return {
    // Many runners repeat the suite name as the class name.
    suite: (group === undefined || names.includes(group) ? names : [...names, group]).join(' > '),
    name: attribute(tag, 'name') ?? '',
    file: attribute(tag, 'file') ?? suites.findLast(({ file }) => file !== undefined)?.file,
    result: 'passed',
    durationMs: seconds * 1000,
  };
}

function judge({ test }: Open, tag: SaxesTagPlain): void {
  const result = Object.hasOwn(verdicts, tag.name) ? verdicts[tag.name] : undefined;
  if (result === undefined || test.result === 'failed') return;
  test.result = result;
  test.message = attribute(tag, 'message');
}

function attribute(tag: SaxesTagPlain, name: string): string | undefined {
  return Object.hasOwn(tag.attributes, name) ? tag.attributes[name] : undefined;
}
