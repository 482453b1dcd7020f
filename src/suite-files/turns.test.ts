import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('things are done one after the other, and nobody fills the queue alone', async () => {
  const turns = new Turns();
  const done: string[] = [];
  let underWay = 0;
  const work = (name: string) => async () => {
    expect(++underWay).toBe(1);
    await new Promise(setImmediate);
    underWay--;
    done.push(name);
    if (name === 'a2') throw new Error('broken');
  };
  const ask = (owner: string, nth: number) =>
    turns.take(owner, work(`${owner}${nth}`)).then(
      () => 'done',
      ({ code, message }: { code?: string; message: string }) => code ?? message,
    );
  const answers = [1, 2, 3, 4, 5].map((nth) => ask('a', nth));
  answers.push(ask('b', 1));
  expect(await Promise.all(answers)).toEqual(['done', 'broken', 'done', 'done', 'RATE_LIMITED', 'done']);
  expect(done).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  // What is over counts no longer.
  expect(await ask('a', 6)).toBe('done');
  const many = Array.from({ length: 60 }, (_, nth) => ask(`owner ${nth} `, 1));
  const refused = (await Promise.all(many)).filter((answer) => answer === 'RATE_LIMITED');
  expect(refused).toHaveLength(10);
});
