import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerBounds, messageLimits } from './answer-bounds.ts';
import { EventScan } from './event-scan.ts';

/** Every way to end a line, and what may stand between. */
const pieces = fc.array(
  fc.constantFrom('a', 'data: 1', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r', ':'),
  {
    maxLength: 30,
  },
);

/** As the standard says: lines end with CRLF, LF or CR, and an empty one ends an event. */
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
        // A return at the very end may be half of a line end, or a whole one.
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

/** Whether the bounds refuse a stream that comes in chunks. */
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
          // At the very beginning this mark makes it a line of data like any other.
          !(mark === '' && other.startsWith('\ufeff')),
        );
        expect(refused(lines(`data: [`, `${other}[[[[[[`, 'data: ]'), { depth: 3 }, chunk)).toBe(false);
      }
});
