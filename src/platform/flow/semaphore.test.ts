import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyedSemaphore, Semaphore } from './semaphore.ts';

test('no more run at once than there are slots, all run, and those given up free theirs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ key: fc.constantFrom('a', 'b'), givesUp: fc.boolean(), fails: fc.boolean() }), {
        maxLength: 12,
      }),
      async (scheduler, most, jobs) => {
        const slots = new KeyedSemaphore();
        const busy = { a: 0, b: 0 };
        let worked = 0;
        const running = jobs.map(({ key, givesUp, fails }, n) => {
          const stop = new AbortController();
          if (givesUp) void scheduler.schedule(Promise.resolve(), `abort ${n}`).then(() => stop.abort());
          return slots.run(key, most, stop.signal, async () => {
            worked++;
            expect(++busy[key]).toBeLessThanOrEqual(most);
            await scheduler.schedule(Promise.resolve(), `work ${n}`);
            busy[key]--;
            if (fails) throw new Error('failed');
          });
        });
        await scheduler.waitFor(Promise.allSettled(running));
        expect(busy).toEqual({ a: 0, b: 0 });
        expect(worked).toBeGreaterThanOrEqual(jobs.filter(({ givesUp }) => !givesUp).length);
        // All permits were released.
        await Promise.all(
          Array.from({ length: most }, () =>
            slots.run('a', most, new AbortController().signal, () => Promise.resolve()),
          ),
        );
      },
    ),
  );
});

test('without a bound nothing waits', async () => {
  const slots = new KeyedSemaphore();
  const signal = new AbortController().signal;
  let inside = 0;
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const all = Array.from({ length: 10 }, () =>
    slots.run('a', undefined, signal, () => {
      inside++;
      return gate;
    }),
  );
  expect(inside).toBe(10);
  open();
  await Promise.all(all);
});

test('Each owner may have a limited number of tasks, and all owners together', async () => {
  const semaphore = new Semaphore(1, { total: 50, perOwner: 4, error: () => new Error('full') });
  const done: string[] = [];
  const work = (name: string) => async () => {
    expect(semaphore.inUse).toBe(1);
    await new Promise(setImmediate);
    done.push(name);
    if (name === 'a2') throw new Error('broken');
  };
  const ask = (owner: string, nth: number) =>
    semaphore.run(work(`${owner}${nth}`), { owner }).then(
      () => 'done',
      ({ message }: Error) => message,
    );
  const answers = [1, 2, 3, 4, 5].map((nth) => ask('a', nth));
  answers.push(ask('b', 1));
  expect(await Promise.all(answers)).toEqual(['done', 'broken', 'done', 'done', 'full', 'done']);
  // Owners take turns.
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  // Completed tasks do not count against the limit.
  expect(await ask('a', 6)).toBe('done');
  const many = Array.from({ length: 60 }, (_, nth) => ask(`owner ${nth} `, 1));
  const refused = (await Promise.all(many)).filter((answer) => answer === 'full');
  expect(refused).toHaveLength(10);
});

test('A permit that becomes free at the moment of the abort goes to the next', async () => {
  const semaphore = new Semaphore(1);
  const release = await semaphore.acquire();
  const stop = new AbortController();
  const given = semaphore.acquire({ signal: stop.signal });
  const next = semaphore.acquire();
  release();
  stop.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  (await next)();
  expect(semaphore.inUse).toBe(0);
});

test('The number of permits can change', async () => {
  let permits = 0;
  const semaphore = new Semaphore(() => permits);
  const both = [semaphore.acquire(), semaphore.acquire()];
  expect(semaphore.waiting).toBe(2);
  permits = 2;
  semaphore.serve();
  await Promise.all(both);
  expect(semaphore.inUse).toBe(2);
});
