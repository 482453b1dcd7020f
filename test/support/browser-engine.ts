import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { BrowserEngine } from '../../src/browser/engine.ts';
import { createLog } from '../../src/platform/log.ts';
import type { AddressPolicy } from '../../src/platform/network/address-guard.ts';
import type { AtEnd } from './process.ts';

/** Only what these tests serve. */
export const thisAddress: AddressPolicy = { local: false, networks: ['127.0.0.1/32'] };

type Options = Partial<ConstructorParameters<typeof BrowserEngine>[0]>;

/** With the Chromium of this machine, and nothing but loopback in reach. */
export function startEngine(options: Options = {}, atEnd: AtEnd = onTestFinished): BrowserEngine {
  const engine = new BrowserEngine({
    browser: process.env['DRYDOCK_TEST_CHROMIUM'],
    sessions: 8,
    policy: async () => thisAddress,
    resolve: () => Promise.reject(new Error('no test looks up a name')),
    log: createLog('silent'),
    ...options,
  });
  atEnd(() => engine.close());
  return engine;
}

/** One line of what the system says about a process. */
export function statusOf(pid: number, name: string): string | undefined {
  try {
    return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
