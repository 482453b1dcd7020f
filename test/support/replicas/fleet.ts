import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoHttp, serveDemoHttp } from '../../../src/demo-server/http.ts';
import { writeModelsFile } from '../evals.ts';
import { freePort } from '../free-port.ts';
import { type PostgresNode, startNode } from '../postgres-nodes.ts';
import { Drydock } from '../process.ts';
import { bucketCredentials, startBucket, type TestBucket } from '../s3.ts';
import { Front } from './front.ts';
import { Models } from './models.ts';

export const key = `sk_${'fleet'.repeat(8)}`;
/** The replicas have their names in the configuration of HAProxy. */
const replicas = ['one', 'two', 'three'];
const workers = ['worker-1', 'worker-2', 'worker-3'];

/** Seconds until trials of a silent process are taken over: fewer than usual, because runs are short. */
const lease = 3;

/** A named process of the fleet; a restart replaces the process. */
export class Member {
  readonly name: string;
  readonly role: 'api' | 'worker';
  readonly failedStarts: string[] = [];
  private readonly env: Record<string, string>;
  private running: Drydock | undefined;
  private readonly all: Drydock[] = [];

  constructor(name: string, role: 'api' | 'worker', env: Record<string, string>) {
    this.name = name;
    this.role = role;
    this.env = env;
  }

  get process(): Drydock {
    if (!this.running) throw new Error(`${this.name} was never started`);
    return this.running;
  }

  /** Log lines of the process about a request. */
  linesAbout(requestId: string): string[] {
    const lines = this.all.flatMap(({ stderr }) => stderr.split('\n'));
    return lines.filter((line) => line.includes(`"${requestId}"`));
  }

  /** Starts the process, and again 2 seconds after a failure, as the systemd units do. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        return await this.launch();
      } catch (error) {
        this.failedStarts.push(String(error));
        if (tries === 5) throw error;
        await delay(2_000);
      }
  }

  private async launch(): Promise<void> {
    const args = this.role === 'api' ? ['serve', '--no-worker'] : ['worker'];
    this.running = new Drydock(args, this.env);
    this.all.push(this.running);
    await this.running.said(this.role === 'api' ? /ready\n[\s\S]*Docs/ : /The Drydock worker is running/);
  }

  /** Kills the process, even while it is frozen. */
  async end(): Promise<void> {
    const { running } = this;
    if (!running || running.child.exitCode !== null || running.child.signalCode !== null) return;
    running.child.kill('SIGCONT');
    await running.end('SIGKILL');
  }
}

/** Three replicas behind HAProxy and three workers on one PostgreSQL and one object store, with a server to call. */
export class Fleet {
  readonly front: Front;
  readonly members: Member[];
  readonly node: PostgresNode;
  readonly models: Models;
  readonly demo: DemoHttp;
  /** Replicas by the port at which the others reach them, to find the holder of a tunnel. */
  readonly hops: Map<number, string>;
  private readonly ends: (() => Promise<unknown>)[];

  private constructor(
    parts: Pick<Fleet, 'front' | 'members' | 'node' | 'models' | 'demo' | 'hops'>,
    ends: Fleet['ends'],
  ) {
    this.front = parts.front;
    this.members = parts.members;
    this.node = parts.node;
    this.models = parts.models;
    this.demo = parts.demo;
    this.hops = parts.hops;
    this.ends = ends;
  }

  static async start(): Promise<Fleet> {
    const ends: (() => Promise<unknown>)[] = [];
    try {
      return await Fleet.assemble(ends);
    } catch (error) {
      for (const end of ends.toReversed()) await end();
      throw error;
    }
  }

  private static async assemble(ends: Fleet['ends']): Promise<Fleet> {
    const folder = await mkdtemp(join(tmpdir(), 'drydock-fleet-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const { node, end } = await startNode();
    ends.push(end);
    const bucket = await startBucket();
    ends.push(() => bucket.stop());
    const models = await Models.start();
    ends.push(() => models.close());
    const demo = await serveDemoHttp(0, 'test');
    ends.push(() => demo.stop());
    const port = await freePort();
    const shared = await settings({ folder, node, bucket, models, port });
    const ports: Record<string, number> = {};
    const hops = new Map<number, string>();
    const members: Member[] = [];
    for (const name of replicas) {
      const hop = await freePort();
      ports[name] = await freePort();
      hops.set(hop, name);
      const own = { DRYDOCK_PORT: String(ports[name]), DRYDOCK_REPLICA_PORT: String(hop) };
      members.push(new Member(name, 'api', { ...shared, ...own, DRYDOCK_DATA_DIR: join(folder, name) }));
    }
    for (const name of workers)
      members.push(new Member(name, 'worker', { ...shared, DRYDOCK_DATA_DIR: join(folder, name) }));
    for (const member of members) ends.push(() => member.end());
    // All at once: the first one creates the tables.
    await Promise.all(members.map((member) => member.start()));
    const front = new Front(folder, port, ports);
    ends.push(() => front.stop());
    await front.start();
    return new Fleet({ front, members, node, models, demo, hops }, ends);
  }

  member(name: string): Member {
    const found = this.members.find((one) => one.name === name);
    if (!found) throw new Error(`There is no ${name}`);
    return found;
  }

  /** The replica that a tunnel is connected to. */
  async relay(): Promise<string | undefined> {
    const [held] = await this.node.ask<{ url: string }>(
      'select holder_url as url from tunnels where holder_id is not null',
    );
    return held && this.hops.get(Number(new URL(held.url).port));
  }

  async end(): Promise<void> {
    for (const end of this.ends.toReversed()) await end();
  }
}

async function settings({
  folder,
  node,
  bucket,
  models,
  port,
}: {
  folder: string;
  node: PostgresNode;
  bucket: TestBucket;
  models: Models;
  port: number;
}): Promise<Record<string, string>> {
  return {
    ...bucketCredentials,
    DRYDOCK_DATABASE_URL: node.url(),
    DRYDOCK_MASTER_KEY: 'a7'.repeat(32),
    DRYDOCK_BLOBS_URL: bucket.url,
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_PUBLIC_URL: `http://127.0.0.1:${port}`,
    DRYDOCK_TRUSTED_PROXIES: '127.0.0.1/32',
    DRYDOCK_ALLOWED_NETWORKS: '127.0.0.0/8',
    DRYDOCK_MODELS_FILE: await writeModelsFile(folder, models.url),
    SCRIPTED_PROVIDER_KEY: 'k-scripted',
    DRYDOCK_PERSONA_MODEL: 'scripted/model',
    DRYDOCK_EVAL_LEASE: String(lease),
    // Limits concurrency, so that a run takes a while.
    DRYDOCK_EVAL_TRIALS: '2',
    DRYDOCK_JOURNEY_SESSIONS: '2',
    // The rate limit is counted and shared by the replicas, but never reached.
    DRYDOCK_RATE_LIMIT: '600000/100000',
    DRYDOCK_SHUTDOWN_NOTICE: '3',
    DRYDOCK_BROWSER: 'off',
  };
}
