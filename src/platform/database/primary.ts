import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnavailable } from './losses.ts';

/** Milliseconds that a host has to answer. */
const answerTimeout = 1_000;
/** Milliseconds to wait for other hosts after the first one that accepts writes, because more than one may. */
const otherWriterWait = 150;

/** Milliseconds between two checks. */
const checkInterval = 100;

/** A host's answer. If two accept writes, the one on the later timeline was promoted last and is the primary. */
interface Answer {
  /** The index of the host. */
  host: number;
  writes: boolean;
  timeline: string;
}

const question = `select not pg_is_in_recovery() as writes,
  case when pg_is_in_recovery() then '' else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;

/** Determines which of several hosts is the primary, over one open connection to each. */
export class Primary {
  private readonly hosts: Host[];

  constructor(hosts: readonly pg.ClientConfig[]) {
    this.hosts = hosts.map((options, number) => new Host(options, number));
  }

  /** The index of the primary, or undefined while no host accepts writes. */
  async find(): Promise<number | undefined> {
    const asked = this.hosts.map((host) => host.ask());
    const all: Answer[] = [];
    const writers = asked.map(async (answer) => {
      const received = await answer;
      if (!received.writes) throw new Error('The host is read-only');
      all.push(received);
    });
    try {
      await Promise.any(writers);
    } catch {
      return undefined;
    }
    await Promise.race([Promise.allSettled(writers), delay(otherWriterWait, undefined, { ref: false })]);
    return all.reduce((best, one) => (one.timeline > best.timeline ? one : best)).host;
  }

  /** Closes the connections, which may be dead, so that the next check opens new ones. */
  forget(): void {
    for (const host of this.hosts) host.close();
  }
}

/** Waits until one of the hosts accepts writes. */
export async function firstPrimary(primary: Primary, timeout: number): Promise<number> {
  const until = performance.now() + timeout;
  for (;;) {
    const found = await primary.find();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new DatabaseUnavailable('No database host accepts writes');
    await delay(checkInterval);
  }
}

class Host {
  private readonly options: pg.ClientConfig;
  private readonly number: number;
  private client: Promise<pg.Client> | undefined;

  constructor(options: pg.ClientConfig, number: number) {
    this.options = options;
    this.number = number;
  }

  async ask(): Promise<Answer> {
    try {
      this.client ??= this.connect();
      const { rows } = await (await this.client).query<Omit<Answer, 'host'>>(question);
      return { host: this.number, ...(rows[0] as Omit<Answer, 'host'>) };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.client?.then((client) => client.end()).catch(() => {});
    this.client = undefined;
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...this.options,
      application_name: 'drydock watching',
      connectionTimeoutMillis: answerTimeout,
      query_timeout: answerTimeout,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  }
}
