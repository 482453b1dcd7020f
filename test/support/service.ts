import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type DemoHttp, serveDemoHttp } from '../../src/demo-server/http.ts';
import { createKey } from '../../src/domain/operator/keys.ts';
import { setMember } from '../../src/domain/operator/members.ts';
import { createOrganization } from '../../src/domain/operator/organizations.ts';
import { createUser } from '../../src/domain/operator/users.ts';
import { loadConfig } from '../../src/platform/config/load.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { type RunningService, type ServeOptions, startService } from '../../src/service.ts';
import { startWidgetServer, type WidgetServer } from '../targets/widgets.ts';
import { createDatabase, type TestDatabase } from './database.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // Tests read arbitrary answers.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  text: string;
}

export interface RequestOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  /** The path prefix, when it is not that of the API. */
  base?: string;
}

/** A real service on a free port with a database of its own. */
export class TestService {
  readonly running: RunningService;
  readonly key: string;
  readonly database: TestDatabase;
  readonly logs: string[];

  constructor(running: RunningService, key: string, database: TestDatabase, logs: string[]) {
    this.running = running;
    this.key = key;
    this.database = database;
    this.logs = logs;
  }

  private demo: Promise<DemoHttp> | undefined;

  /** A real MCP server to point saved servers at; it ends with the service. */
  async demoUrl(): Promise<string> {
    this.demo ??= serveDemoHttp(0, 'test');
    return (await this.demo).url;
  }

  private widgets: Promise<WidgetServer> | undefined;

  /** One whose tools name widgets. */
  async widgetUrl(): Promise<string> {
    this.widgets ??= startWidgetServer();
    return (await this.widgets).url;
  }

  get db() {
    return this.running.services.db;
  }

  get origin(): string {
    return new URL(this.running.baseUrl).origin;
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { key = this.key, body, headers = {}, base = '/api/v1' } = options;
    const response = await fetch(`${this.origin}${base}${path}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    });
    const streams = response.headers.get('content-type')?.startsWith('text/event-stream');
    const text = streams ? await firstEvent(response, method !== 'GET') : await response.text();
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    return { status: response.status, headers: response.headers, body: parsed, text };
  }

  get = (path: string, options?: RequestOptions) => this.request('GET', path, options);
  post = (path: string, body?: unknown, options?: RequestOptions) =>
    this.request('POST', path, { ...options, body });
  patch = (path: string, body?: unknown, options?: RequestOptions) =>
    this.request('PATCH', path, { ...options, body });
  delete = (path: string, options?: RequestOptions) => this.request('DELETE', path, options);

  /** The project every organization starts with. */
  async defaultProject(key: string = this.key): Promise<string> {
    const { body } = await this.get('/projects', { key });
    return body.items[0].id;
  }

  /** A further user of the first organization, with a key. */
  async member(role: 'owner' | 'admin' | 'member'): Promise<{ userId: string; key: string; keyId: string }> {
    const organization = (await this.get('/organizations')).body.items[0].id as string;
    const userId = await createUser(this.db, { email: `${newId('m')}@example.com`, name: role });
    await setMember(this.db, { organization }, { user: userId, role });
    const { key, id } = await createKey(this.db, { organization, user: userId, name: 'test' });
    return { userId, key, keyId: id };
  }

  /** Another organization with an owner of its own. */
  async stranger(): Promise<{ organizationId: string; userId: string; key: string; keyId: string }> {
    const userId = await createUser(this.db, { email: `${newId('s')}@example.com`, name: 'Stranger' });
    const { id } = await createOrganization(this.db, { name: newId('o'), owner: userId });
    const made = await createKey(this.db, { organization: id, user: userId, name: 'test' });
    return { organizationId: id, userId, key: made.key, keyId: made.id };
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await (await this.demo)?.stop();
    await (await this.widgets)?.stop();
  }
}

/** The data of the first event. A stream that only watches is then left; one that changes something is read to its end. */
async function firstEvent(response: Response, toTheEnd: boolean): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let data: string | undefined;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (data !== undefined) continue;
    text += decoder.decode(chunk, { stream: true });
    data = /^data: (.*)\n\n/m.exec(text)?.[1];
    if (data !== undefined && !toTheEnd) break;
  }
  return data ?? text;
}

export interface StartOptions extends ServeOptions {
  /** Settings by their environment names. */
  env?: Record<string, string>;
  database?: TestDatabase;
  dataDir?: string;
}

/** Tests talk to this machine only: no other name exists. */
async function resolve(hostname: string): Promise<{ address: string; family: number }[]> {
  if (hostname === 'localhost') return [{ address: '127.0.0.1', family: 4 }];
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
}

/** Answers are checked against the contract; the rate limit is off unless `env` says otherwise. */
export async function startTestService(options: StartOptions = {}): Promise<TestService> {
  const {
    env,
    database = await createDatabase(),
    dataDir = await mkdtemp(join(tmpdir(), 'drydock-')),
    ...serve
  } = options;
  const { config } = loadConfig({
    DRYDOCK_PORT: '0',
    DRYDOCK_RATE_LIMIT: 'off',
    DRYDOCK_LOG_LEVEL: 'debug',
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_DATABASE_POOL: '5',
    DRYDOCK_MAX_CONCURRENT_EVAL_RUNS: '100000',
    // Many tests have several users, and by default those are not trusted with either.
    DRYDOCK_ALLOW_STDIO: 'true',
    DRYDOCK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    ...env,
  });
  const logs: string[] = [];
  const log = createLog('debug', { write: (line) => void logs.push(line) });
  const running = await startService(config, {
    checkResponses: true,
    log,
    outbound: { resolve },
    ...serve,
  }).catch(async (error: unknown) => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  return new TestService(running, running.firstKey ?? '', database, logs);
}

/** Stops the service and removes what it left, after all tests of the file. */
export async function dispose(service: TestService | undefined): Promise<void> {
  if (!service) return;
  await service.stop();
  await service.database.drop();
  await rm(service.running.services.config.dataDir, { recursive: true, force: true });
}

/** For a service that only one test needs. */
export async function startForTest(options: StartOptions = {}): Promise<TestService> {
  const service = await startTestService(options);
  onTestFinished(() => dispose(service));
  return service;
}
