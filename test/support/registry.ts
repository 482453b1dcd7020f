import { readSource } from '../../src/domain/registry/sync/read-source.ts';
import { storeListed } from '../../src/domain/registry/sync/store.ts';
import type { RegistrySource } from '../../src/platform/config/values.ts';
import * as sources from '../../src/platform/database/queries/registry-sources.ts';
import { readServerList } from '../../src/registry/server-json.ts';
import type { TestService } from './service.ts';

/** A server.json with one address, or with what is given instead. */
export function serverJson(name: string, more: object = {}): Record<string, unknown> {
  return {
    name: name.includes('/') ? name : `com.example/${name}`,
    description: `About ${name}`,
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: `https://${name.replace(/.*\//, '')}.example.com/mcp` }],
    ...more,
  };
}

/** Puts servers into the directory as if a source had listed them. */
export async function putInDirectory(
  service: TestService,
  servers: object[],
  source = 'test',
): Promise<void> {
  const location = source === 'bundled' ? source : `/test/${source}`;
  await service.db.run(sources.name, { source, location });
  const list = readServerList(servers, 100_000);
  if (!list || list.skipped > 0) throw new Error('a fixture is no server.json');
  await storeListed(service.db, { source, pass: 1_000_000 }, list.listed);
}

const made = new WeakMap<TestService, Promise<void>>();

/** A directory with the demo server in it. The source is one that every service has, so that no job removes it. */
export async function readDirectory(service: TestService): Promise<void> {
  const remotes = [{ type: 'streamable-http', url: await service.demoUrl() }];
  const done = made.get(service) ?? putInDirectory(service, [serverJson('fixture', { remotes })], 'bundled');
  made.set(service, done);
  await done;
}

/** Reads a source once, as the job does. */
export async function readOnce(
  service: TestService,
  source: RegistrySource,
  limits?: Parameters<typeof readSource>[3],
  signal: AbortSignal = new AbortController().signal,
): Promise<sources.SourceRow> {
  await service.db.run(sources.name, { source: source.name, location: source.location });
  await readSource(service.running.services, source, signal, limits);
  return service.db.one(sources.find, { source: source.name });
}
