import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet, Member } from './fleet.ts';

export type What = 'kill' | 'freeze' | 'restart' | 'restart database';

/** Times are in milliseconds of this process. */
export interface Disturbance {
  what: What;
  who: string;
  from: number;
  /** When the process had ended or continued, or the database answered. */
  until: number;
  /** When everything was as before. */
  over: number;
  /** Whether the process held the tunnel at the beginning. */
  relay: boolean;
}

/** Disturbs a fleet, one disturbance after the other. */
export class Disturber {
  readonly done: Disturbance[] = [];
  readonly fleet: Fleet;

  constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  async disturb(what: What, who: string): Promise<void> {
    const relay = (await this.fleet.relay()) === who;
    const from = performance.now();
    // Listed from the beginning, because measurements need it meanwhile.
    const disturbance: Disturbance = { what, who, from, until: Infinity, over: Infinity, relay };
    this.done.push(disturbance);
    await this.act(what, who, () => (disturbance.until = performance.now()));
    disturbance.over = performance.now();
  }

  private async act(what: What, who: string, until: () => void): Promise<void> {
    const { node, front } = this.fleet;
    if (what === 'restart database') {
      await node.stop('SIGINT');
      await node.start();
      return until();
    }
    const member = this.fleet.member(who);
    const api = member.role === 'api';
    if (what === 'freeze') await this.freeze(member, until);
    else {
      await end(member, what === 'kill' ? 'SIGKILL' : 'SIGTERM');
      until();
      await member.start();
    }
    if (api) await front.sees(who, true);
  }

  /** Freezes a replica until HAProxy has noticed, or a worker until its leases have expired. */
  private async freeze({ name, role, process }: Member, until: () => void): Promise<void> {
    process.child.kill('SIGSTOP');
    if (role === 'api') await this.fleet.front.sees(name, false);
    await delay(role === 'api' ? 1_000 : 8_000);
    process.child.kill('SIGCONT');
    until();
  }
}

async function end({ name, process: { child, stderr } }: Member, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  const [code] = await gone;
  if (signal === 'SIGTERM' && code !== 0) throw new Error(`${name} ended with ${code}: ${stderr}`);
}
