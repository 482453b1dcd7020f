import { readFile } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import type * as Module from '../src/surfaces/client/index.ts';
import { startForTest } from './support/service.ts';

/** Globals common to browsers and workers, without those of Node. */
const platform = {
  fetch,
  Headers,
  URLSearchParams,
  AbortController,
  DOMException,
  Blob,
  ReadableStream,
  TextDecoder,
  crypto,
  setTimeout,
  clearTimeout,
};

/** The built client in a realm that has only that. */
async function loadBare(): Promise<typeof Module> {
  const text = await readFile('dist/client/index.js', 'utf8');
  expect(text).not.toMatch(/^import|\bimport\(|\brequire\(/m);
  const context = createContext({ ...platform });
  const script = text.replace(/export \{([^}]*)\};\s*$/, (_, names: string) => `loaded = {${names}};`);
  runInContext(`let loaded;\n${script}`, context);
  return runInContext('loaded', context) as typeof Module;
}

test('the built client works with nothing but what browsers, workers and Node share', async () => {
  const service = await startForTest();
  const { createClient, eachItem, DrydockError } = await loadBare();
  const client = createClient({ baseUrl: service.origin, apiKey: async () => service.key });
  const { id: projectId } = await client.createProject({ body: { name: 'Bare' } });
  const names: string[] = [];
  for await (const { name } of eachItem(client.listProjects, { limit: 1 })) names.push(name);
  expect(names).toContain('Bare');
  const { storageId } = await client.uploadEvalArtifact({
    projectId,
    upload: { contentType: 'text/plain', bytes: new Blob(['streamed']).stream() },
  });
  expect(await (await client.getEvalArtifact({ projectId, storageId })).text()).toBe('streamed');
  const { connectionRequestId } = await client.createServerConnection({
    body: { url: await service.demoUrl() },
  });
  const seen: string[] = [];
  for await (const { status } of client.watchServerConnection({ connectionRequestId })) seen.push(status);
  expect(seen.at(-1)).toBe('ready');
  await expect(client.getProjectCapabilities({ projectId: 'none' })).rejects.toBeInstanceOf(DrydockError);
});
