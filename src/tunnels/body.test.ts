import { expect, test } from 'vitest';
import { ByteAllowance, IncomingBody } from './body.ts';

async function read(body: IncomingBody): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const chunk of body) all.push(chunk);
  return all;
}

const never = (): void => {};

test('many small chunks that nobody reads are put together; what is read is what came', async () => {
  const allowance = new ByteAllowance(1_000_000);
  const body = new IncomingBody({ most: 1_000_000, allowances: [allowance], onAbandoned: never });
  const sent: Buffer[] = [];
  for (let i = 0; i < 60_000; i++) {
    const chunk = i % 20_000 === 5 ? Buffer.alloc(5_000, i % 251) : Buffer.from([i % 251]);
    sent.push(chunk, Buffer.alloc(0));
    expect(body.push(chunk) && body.push(Buffer.alloc(0))).toBe(true);
  }
  body.end();
  const chunks = await read(body);
  expect(Buffer.concat(chunks).equals(Buffer.concat(sent))).toBe(true);
  expect(chunks.length).toBeLessThan(20);
  expect(allowance.take(1_000_000)).toBe(true);
});

test('what finds no room is refused, and what is left unread gives its room back', async () => {
  const shared = new ByteAllowance(10);
  const one = new IncomingBody({ most: 8, allowances: [new ByteAllowance(100), shared], onAbandoned: never });
  const other = new IncomingBody({ most: 8, allowances: [shared], onAbandoned: never });
  expect([one.push(Buffer.alloc(6)), one.push(Buffer.alloc(3)), other.push(Buffer.alloc(6))]).toEqual([
    true,
    false,
    false,
  ]);
  one.fail(new Error('broken off'));
  expect(other.push(Buffer.alloc(6))).toBe(true);
  await expect(read(one)).rejects.toThrow('broken off');
});
