import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readJest } from './jest.ts';
import { junitReader } from './junit.ts';
import { type ReportedTest, UnreadableReport } from './report.ts';

export { type ReportedTest, UnreadableReport };

/** Maximum characters of a JSON report, because parsing blocks the event loop. */
const largestJson = 4 * 1024 * 1024;
/** Bytes of a report processed before yielding. */
const sliceBytes = 65_536;

/** Reads a streamed report. The format is detected by the first character unless specified. */
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
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      take(decoder.write(Buffer.from(chunk.subarray(at, at + sliceBytes))));
      await nextTurn();
    }
  take(decoder.end());
  return kind === 'junit' ? junit.end() : readJest(json);
}

/** Skips whitespace and a byte order mark. */
function kindOf(text: string): 'auto' | 'junit' | 'jest' {
  const first = /[^\s\uFEFF]/.exec(text)?.[0];
  if (first === undefined) return 'auto';
  // The byte order mark of UTF-16 decodes as a replacement character, and ASCII in it contains NULs.
  if (first === '\ufffd' || first === '\0')
    throw new UnreadableReport('The report is not UTF-8. Write it as UTF-8');
  return first === '<' ? 'junit' : 'jest';
}
