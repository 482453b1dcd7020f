import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient } from '../../src/surfaces/client/index.ts';
import { start } from '../support/processes.ts';

export const key = `sk_${'bench'.repeat(8)}`;
export const modelId = 'scripted/model';
const here = (file: string): string => new URL(file, import.meta.url).pathname;
export const everything = here('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');

export interface Service {
  api: Client;
  baseUrl: string;
  projectId: string;
  serverId: string;
  child: ChildProcess;
  provider: ChildProcess;
  /** The model provider's URL, for benchmarks that call it directly. */
  providerUrl: string;
}

/** Starts the built service and a provider, each in its own process. */
export async function serve(
  dataDir: string,
  latency: number,
  script = here('provider.ts'),
  env: Record<string, string> = {},
): Promise<Service> {
  const { child: provider, match: printed } = await start(
    ['--import', 'tsx', script, String(latency)],
    {},
    /Provider (\S+)/,
  );
  const providerUrl = printed[1] as string;
  const modelsFile = join(dataDir, 'models.json');
  const connection = { name: 'scripted', wire: 'openai-chat', baseUrl: providerUrl };
  await writeFile(
    modelsFile,
    JSON.stringify({ connections: [connection], models: [{ id: modelId, connection: 'scripted' }] }),
  );
  const { child, match } = await start(
    [here('../../dist/program/main.js'), 'serve'],
    {
      DRYDOCK_DATA_DIR: dataDir,
      DRYDOCK_PORT: '0',
      DRYDOCK_RATE_LIMIT: 'off',
      DRYDOCK_BOOTSTRAP_KEY: key,
      DRYDOCK_MODELS_FILE: modelsFile,
      DRYDOCK_MAX_MODEL_CALLS: '100000',
      ...env,
    },
    /API +(\S+)[\s\S]*Docs/,
  );
  const baseUrl = match[1] as string;
  const api = createClient({ baseUrl, apiKey: key });
  const projectId = (await api.listProjects({})).items[0]?.id as string;
  const { id: serverId } = await api.createProjectServer({
    projectId,
    body: { name: `everything ${Date.now()}`, command: process.execPath, args: [everything, 'stdio'] },
  });
  return { api, baseUrl, projectId, serverId, child, provider, providerUrl };
}
