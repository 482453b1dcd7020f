import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventParser } from './event-parser.ts';

function parsed(...pieces: string[]): { id: string | undefined; data: string }[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.feed(piece));
}

test.each<[string, string, { id?: string; data: string }[]]>([
  ['lines that end with LF', 'data: a\n\ndata: b\n\n', [{ data: 'a' }, { data: 'b' }]],
  ['lines that end with CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [{ data: 'a' }, { data: 'b' }]],
  ['lines that end with CR', 'data: a\r\rdata: b\r\r:\r', [{ data: 'a' }, { data: 'b' }]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [{ data: 'a' }]],
  ['comments', ': here\n\ndata: a\n: there\n\n', [{ data: 'a' }]],
  ['data of several lines', 'data: a\ndata\ndata:b\ndata:  c\n\n', [{ data: 'a\n\nb\n c' }]],
  ['fields that it does not know', 'event: x\nfoo: y\ndata: a\n\n', [{ data: 'a' }]],
  ['an event without data', 'id: 1\n\ndata: a\n\n', [{ id: '1', data: 'a' }]],
  [
    'ids, which last',
    'id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
    [
      { id: '1', data: 'a' },
      { id: '1', data: 'b' },
      { id: '', data: 'c' },
    ],
  ],
  ['an id with NUL, which counts as none', 'id: 1\nid: 2\0\ndata: a\n\n', [{ id: '1', data: 'a' }]],
  ['an event that is not complete', 'data: a\n', []],
])('%s', (_, text, events) => {
  expect(parsed(text)).toEqual(events.map(({ id, data }) => ({ id, data })));
});

test('the pause that is asked for', () => {
  const parser = new EventParser();
  parser.feed('retry: 10x\n');
  expect(parser.retry).toBeUndefined();
  parser.feed('retry: 1500\n');
  expect(parser.retry).toBe(1500);
});

test('the pieces in which a stream comes make no difference', () => {
  const ends = fc.constantFrom('\n', '\r\n', '\r');
  const lines = fc.constantFrom('data: a', 'data:', 'id: 7', ': x', '', '', 'data: \uFEFF', 'retry: 5');
  const streams = fc.array(fc.tuple(lines, ends).map(([line, end]) => line + end)).map((all) => all.join(''));
  fc.assert(
    fc.property(streams, fc.array(fc.nat(80)), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, n) => text.slice(places[n], end));
      // A CR at the end is held back, so a comment is appended to both.
      expect(parsed(...pieces, ':\n')).toEqual(parsed(text, ':\n'));
    }),
  );
});
