import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageFilter } from './message-filter.ts';

const mebibyte = 1024 * 1024;

function filtered(chunks: Buffer[], now = () => 0): string[] {
  const out: Buffer[] = [];
  const filter = new MessageFilter((bytes) => void out.push(bytes), now);
  for (const chunk of chunks) filter.feed(chunk);
  return Buffer.concat(out).toString().split('\0').slice(0, -1);
}

test('messages pass whole, however they are cut', () => {
  const messages = fc.array(
    fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\0', '')),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(messages, fc.array(fc.nat(40), { maxLength: 30 }), (texts, cuts) => {
      const all = Buffer.from(texts.map((text) => `${text}\0`).join(''));
      const at = [0, ...cuts.map((cut) => cut % (all.length + 1)), all.length].toSorted((a, b) => a - b);
      const chunks = at.slice(1).map((end, n) => all.subarray(at[n], end));
      expect(filtered(chunks)).toEqual(texts);
    }),
  );
});

test('one that is too large is dropped, and those around it pass', () => {
  const part = Buffer.alloc(mebibyte, 'x');
  const large = [...Array.from({ length: 25 }, () => part), Buffer.from('\0')];
  expect(filtered([Buffer.from('before\0'), ...large, Buffer.from('after\0')])).toEqual(['before', 'after']);
});

test('a page that floods is heard some hundred times a second, and what somebody waits for always', () => {
  let now = 0;
  const flood = Buffer.from(`{"method":"Runtime.consoleAPICalled","params":{}}\0`.repeat(5_000));
  const answer = Buffer.from('{"id":1,"result":{}}\0'.repeat(1_000));
  const heard = filtered([flood, answer], () => now);
  expect(heard.filter((text) => text.includes('console'))).toHaveLength(200);
  expect(heard).toHaveLength(1_200);
  const out: Buffer[] = [];
  const filter = new MessageFilter(
    (bytes) => void out.push(bytes),
    () => now,
  );
  filter.feed(flood);
  now = 1_000;
  filter.feed(flood);
  expect(out).toHaveLength(400);
});
