import { expect } from 'vitest';
import { saveServer } from './live.ts';
import type { Answer, TestService } from './service.ts';

/** An account with an organization of its own, so that tests do not share the limit on open requests. */
export class Account {
  readonly key: string;
  readonly project: string;
  readonly at: TestService;

  constructor(key: string, project: string, at: TestService) {
    this.key = key;
    this.project = project;
    this.at = at;
  }

  get = (path: string) => this.at.get(path, { key: this.key });
  post = (path: string, body?: unknown) => this.at.post(path, body, { key: this.key });
  connect = (body: object) => this.post('/server-connections', body);
  read = (id: string) => this.get(`/server-connections/${id}`);
  cancel = (id: string) => this.post(`/server-connections/${id}/cancel`);
  retry = (id: string) => this.post(`/server-connections/${id}/retry-validation`);
  save = (fields: object) => saveServer(this.at, fields, this.key);

  async servers(): Promise<string[]> {
    const { body } = await this.get(`/projects/${this.project}/servers`);
    return body.items.map(({ name }: { name: string }) => name);
  }
}

export async function openAccountAt(at: TestService): Promise<Account> {
  const { key } = await at.stranger();
  return new Account(key, await at.defaultProject(key), at);
}

/** The request once it has come to this status. */
export async function until(account: Account, id: string, status: string): Promise<Answer['body']> {
  const now = async () => (await account.read(id)).body.status;
  await expect.poll(now, { timeout: 15_000, interval: 20 }).toBe(status);
  return (await account.read(id)).body;
}

/** Makes a request and waits. */
export async function connected(account: Account, body: object, status: string): Promise<Answer['body']> {
  const made = await account.connect(body);
  expect(made).toMatchObject({ status: 201, body: { status: 'discovering' } });
  return until(account, made.body.connectionRequestId, status);
}
