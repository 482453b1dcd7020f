import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { EvalsWorld, prompt } from './eval-authoring.ts';
import { type Script, type ScriptedCall, type ScriptedProvider, startProvider } from './scripted-provider.ts';
import { type Answer, dispose, startTestService, type TestService } from './service.ts';

/** A service whose agent has a scripted model, and a project of its own for each test. */
export interface AgentWorld {
  provider: ScriptedProvider;
  service: TestService;
  database: pg.Client;
  world: EvalsWorld;
  /** The file that names the model. */
  models: string;
  ask: (fields?: object) => Promise<Answer>;
  /** A call that creates a suite. */
  creating: () => ScriptedCall;
  /** The tool results that the model received. */
  told: () => string[];
}

export const user = (content: string) => ({ role: 'user', content });

/** A model that makes these calls, one per step, and then answers with `last`. */
export const making =
  (calls: readonly ScriptedCall[], last: ReturnType<Script> = { text: 'Done.' }): Script =>
  ({ results }) => {
    const call = calls[results];
    return call ? { toolCalls: [call] } : last;
  };

/** Sets up a test file. Turns time out after two seconds. */
export function agentWorld(take: (parts: AgentWorld) => void): void {
  let parts: Omit<AgentWorld, 'world' | 'ask' | 'creating' | 'told'>;
  beforeAll(async () => {
    const provider = await startProvider();
    const connections = [{ name: 'local', wire: 'openai-chat', baseUrl: provider.url }];
    const listed = [{ id: 'local/agent', connection: 'local', prices: { input: 1000, output: 1000 } }];
    const models = join(await mkdtemp(join(tmpdir(), 'drydock-models-')), 'models.json');
    await writeFile(models, JSON.stringify({ builtInModels: false, connections, models: listed }));
    const env = {
      DRYDOCK_MODELS_FILE: models,
      DRYDOCK_AGENT_MODEL: 'local/agent',
      DRYDOCK_AGENT_TIMEOUT: '5',
    };
    const service = await startTestService({ worker: false, env });
    parts = { provider, service, database: await service.database.connect(), models };
  });
  afterAll(async () => {
    await parts.database.end();
    await dispose(parts.service);
    await parts.provider.close();
    await rm(dirname(parts.models), { recursive: true, force: true });
  });
  beforeEach(async () => {
    const { service, provider } = parts;
    const world = await EvalsWorld.make(service);
    provider.requests.length = 0;
    take({
      ...parts,
      world,
      ask: (fields) => service.post(`${world.project}/agent`, { messages: [user('Go on.')], ...fields }),
      creating: () => ({ name: 'createEvalSuite', input: { body: suiteWith(world.server.id) } }),
      told: () =>
        ((provider.requests.at(-1)?.body.messages ?? []) as { role: string; content: string }[])
          .filter(({ role }) => role === 'tool')
          .map(({ content }) => content),
    });
  });
}

function suiteWith(serverId: string): object {
  return {
    name: 'Harbour',
    serverIds: [serverId],
    model: 'drydock/rehearsal',
    tests: [{ title: 'Lists', steps: [prompt()] }],
  };
}
