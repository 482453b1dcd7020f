import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerBounds, messageLimits } from './answer-bounds.ts';
import { EventScan } from './event-scan.ts';

/** All line endings, with text to put between them. */
const pieces = fc.array(
  fc.constantFrom('a', 'data: 1', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r', ':'),
  {
    maxLength: 30,
  },
);

/** Counts events as the standard defines them: lines end with CRLF, LF or CR, and an empty line ends an event. */
function eventsIn(text: string): number {
  const lines = text.split(/\r\n|\n|\r/);
  lines.pop();
  return lines.filter((line) => line === '').length;
}

test('events are found whatever ends their lines and wherever the chunks are cut', () => {
  fc.assert(
    fc.property(
      pieces,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 3 }),
      (parts, chunk, most) => {
        // A CR at the very end could be a whole line ending or the first half of CRLF, so the text ends with `x`.
        const text = `${parts.join('')}x`;
        const bytes = Buffer.from(text);
        const scan = new EventScan(answerBounds(messageLimits, 'It'));
        let events = 0;
        for (let at = 0; at < bytes.length; at += chunk) {
          let rest = bytes.subarray(at, at + chunk);
          while (rest.length > 0) {
            const fed = scan.feed(rest, most);
            expect(fed.events).toBeLessThanOrEqual(most);
            events += fed.events;
            rest = rest.subarray(fed.used);
          }
        }
        expect(events).toBe(eventsIn(text));
      },
    ),
  );
});

/** Whether the bounds refuse a stream that arrives in chunks. */
function refused(text: string, limits: object, chunk: number): boolean {
  const scan = new EventScan(answerBounds({ ...messageLimits, ...limits }, 'It'));
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += chunk) scan.feed(bytes.subarray(at, at + chunk), 1e9);
    return false;
  } catch {
    return true;
  }
}

test.each([1, 2, 3, 7, 1e6])('only lines of data are counted, in chunks of %i', (chunk) => {
  const keys = (from: number) => Array.from({ length: 6 }, (_, n) => `"k${from + n}":1`).join();
  for (const mark of ['', '\ufeff', '\u00ef\u00bb\u00bf'])
    for (const end of ['\n', '\r', '\r\n'])
      for (const other of [': ', 'event: ', 'dat', 'data', 'datum: ', ' data: ', '\ufeffdata: ']) {
        const lines = (...all: string[]) => mark + all.join(end);
        const deep = lines('data: [[[[', `${other}]]]]`, 'data:[[[[');
        expect(refused(deep, { depth: 6 }, chunk)).toBe(true);
        expect(
          refused(lines(`data: {${keys(1)},`, `${other}},{`, `data: ${keys(7)}}`), { keys: 10 }, chunk),
        ).toBe(true);
        expect(refused(lines(`${other}[`, `data: [${'{},'.repeat(20)}{}]`), { batch: 10 }, chunk)).toBe(
          // At the start of the stream a byte order mark is ignored, so the line is data like any other.
          !(mark === '' && other.startsWith('\ufeff')),
        );
        expect(refused(lines(`data: [`, `${other}[[[[[[`, 'data: ]'), { depth: 3 }, chunk)).toBe(false);
      }
});
