import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

test('no more run at once than there are slots, all run, and those given up free theirs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ key: fc.constantFrom('a', 'b'), givesUp: fc.boolean(), fails: fc.boolean() }), {
        maxLength: 12,
      }),
      async (scheduler, most, jobs) => {
        const slots = new Slots();
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
        // Every slot is free again.
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
  const slots = new Slots();
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
