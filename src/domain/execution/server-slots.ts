import type { DistributedSemaphore } from '../../platform/leases/distributed-semaphore.ts';
import type { Services } from '../context/context.ts';

/** Takes a slot of each server during the work. Trials and journey sessions share these slots. */
export function withServerSlots<T>(
  { slots, services }: { slots: Pick<DistributedSemaphore, 'run'>; services: Pick<Services, 'config'> },
  servers: readonly { id: string }[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const permits = services.config.evalServerTrials;
  // Sorted: slots are acquired in the same order everywhere, which prevents deadlock.
  const pools = servers.map(({ id }) => `server ${id}`).toSorted();
  const within = ([next, ...rest]: string[]): Promise<T> =>
    next === undefined ? work() : slots.run(next, permits, signal, () => within(rest));
  return within(pools);
}
