import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventScan } from './event-scan.ts';
import { JsonBounds, messageLimits } from './json-bounds.ts';

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
        const scan = new EventScan(new JsonBounds(messageLimits, 'It'));
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
