import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readJest } from './jest.ts';
import { junitReader } from './junit.ts';
import { type ReportedTest, UnreadableReport } from './report.ts';

export { type ReportedTest, UnreadableReport };

/** A JSON document is parsed in one go, which keeps everybody else waiting. */
const largestJson = 4 * 1024 * 1024;
/** Bytes of XML that are read before others get their turn. */
const slice = 65_536;

/** Reads a report as it comes. By its first character it is XML or JSON, unless somebody knows. */
export async function readReport(
  content: AsyncIterable<Uint8Array>,
  format: 'auto' | 'junit' | 'jest',
): Promise<ReportedTest[]> {
  const decoder = new StringDecoder('utf8');
  const junit = junitReader();
  let kind = format;
  let json = '';
  const take = (text: string): void => {
    if (kind === 'auto') kind = kindOf(text);
    if (kind === 'junit') junit.write(text);
    else json += text;
    if (json.length > largestJson)
      throw new UnreadableReport(
        `As JSON it may have ${largestJson.toLocaleString('en')} characters; write it as JUnit XML`,
      );
  };
  for await (const chunk of content)
    for (let at = 0; at < chunk.length; at += slice) {
      take(decoder.write(Buffer.from(chunk.subarray(at, at + slice))));
      await nextTurn();
    }
  take(decoder.end());
  return kind === 'junit' ? junit.end() : readJest(json);
}

/** White space and a byte order mark may stand before it. */
function kindOf(text: string): 'auto' | 'junit' | 'jest' {
  const first = /[^\s\uFEFF]/.exec(text)?.[0];
  if (first === undefined) return 'auto';
  // What the byte order mark of UTF-16 is read as, and its zeros.
  if (first === '\ufffd' || first === '\0') throw new UnreadableReport('It is no UTF-8; write it as UTF-8');
  return first === '<' ? 'junit' : 'jest';
}
