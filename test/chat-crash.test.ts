// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { serveDemoHttp } from '../src/demo-server/http.ts';
import { type Client, createClient } from '../src/surfaces/client/index.ts';
import { createDatabase } from './support/database.ts';
import { providerForTest, scriptedModel, writeModelsFile } from './support/evals.ts';
import { place } from './support/process.ts';
import type { Script } from './support/scripted-provider.ts';

const key = `sk_${'chat'.repeat(10)}`;
const kills = Number(process.env['DRYDOCK_TEST_CRASH_KILLS'] ?? 2);
const talkers = 4;
/** The question, the call, its result and the answer. */
const messagesOfTurn = 4;

/** Answers each question with one tool call and then text. */
const lists: Script = ({ body }) =>
  body.messages.at(-1).role === 'user'
    ? { toolCalls: [{ name: 'list_ships', input: {} }] }
    : { text: 'Albatross, Bittern and Cormorant.' };

interface Told {
  sessionId: string;
  acknowledged: number;
  /** Requests that were sent and never answered. */
  open: Parameters<Client['sendChatMessage']>[0]['body'][];
}

/** Sends messages until the service is gone. */
async function talk(api: Client, told: Told, name: string): Promise<void> {
  for (let nth = 0; ; nth++) {
    const body = {
      idempotencyKey: `${name} ${nth}`,
      sessionId: told.sessionId,
      message: `Which ships? ${nth}`,
    };
    try {
      await api.sendChatMessage({ body });
      told.acknowledged++;
    } catch {
      told.open.push(body);
      return;
    }
  }
}

async function turnsOf(api: Client, sessionId: string) {
  const all: Awaited<ReturnType<Client['getChatSessionTrace']>>['turns'] = [];
  for (;;) {
    const afterPromptIndex = all.at(-1)?.promptIndex ?? -1;
    const { turns } = await api.getChatSessionTrace({ sessionId, afterPromptIndex, limit: 20 });
    if (turns.length === 0) return all;
    all.push(...turns);
  }
}

test(`${kills} kills in the middle of turns leave sessions that can be read, with whole turns and failed ones`, {
  timeout: 240_000 + kills * 20_000,
}, async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const here = await place();
  const provider = await providerForTest((request) => ({ ...lists(request), latencyMs: 20 }));
  const demo = await serveDemoHttp(0, 'test');
  onTestFinished(() => demo.stop());
  const env = {
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_MODELS_FILE: await writeModelsFile(here.dataDir, provider.url),
    DRYDOCK_ALLOWED_NETWORKS: '127.0.0.0/8',
    SCRIPTED_PROVIDER_KEY: 'k-scripted',
    DRYDOCK_MAX_CONCURRENT_CHAT_TURNS: '1000',
  };
  let service = await here.serve(env);
  let api = createClient({ baseUrl: service.baseUrl, apiKey: key, retries: 0 });
  const projectId = (await api.listProjects({})).items[0]?.id as string;
  const { id: serverId } = await api.createProjectServer({
    projectId,
    body: { name: 'target', url: demo.url },
  });
  const all: Told[] = await Promise.all(
    Array.from({ length: talkers }, async (_, nth) => {
      const body = { projectId, modelId: scriptedModel, serverIds: [serverId], message: 'Which ships?' };
      const { sessionId } = await api.sendChatMessage({ body: { ...body, idempotencyKey: `first ${nth}` } });
      return { sessionId: sessionId as string, acknowledged: 1, open: [] };
    }),
  );
  for (let kill = 0; kill < kills; kill++) {
    const talking = all.map((told, nth) => talk(api, told, `talker ${nth}, round ${kill}`));
    await delay(100 + Math.random() * 300);
    await service.end('SIGKILL');
    await Promise.all(talking);
    service = await here.serve(env);
    api = createClient({ baseUrl: service.baseUrl, apiKey: key, retries: 0 });
    // Expires the leases of running turns, which the killed process no longer extends.
    const client = await database.connect();
    await client.query(`update chat_turns set lease_until = now() - interval '1 ms' where state = 'running'`);
    await client.end();
  }
  for (const { sessionId, acknowledged, open } of all) {
    const turns = await turnsOf(api, sessionId);
    const session = await api.getChatSession({ sessionId, limit: 200 });
    const whole = turns.filter(({ status }) => status === 'completed');
    expect(whole.length).toBeGreaterThanOrEqual(acknowledged);
    expect(whole.length).toBeLessThanOrEqual(acknowledged + open.length);
    expect(session).toMatchObject({ turnInProgress: false, messageCount: whole.length * messagesOfTurn });
    expect(session.messages).toHaveLength(whole.length * messagesOfTurn);
    expect(whole.every(({ spanCount }) => spanCount > 0)).toBe(true);
    // A retry with the same key returns the outcome or runs the turn now. Then the session goes on.
    for (const body of open) {
      const again = await api.sendChatMessage({ body }).catch((error: { details?: unknown }) => error);
      expect(again).toSatisfy(
        (answer: { turnId?: string; details?: { reason?: string } }) =>
          answer.turnId !== undefined || answer.details?.reason === 'TURN_FAILED',
      );
    }
    const body = { idempotencyKey: `last ${sessionId}`, sessionId, message: 'And now?' };
    expect((await api.sendChatMessage({ body })).persisted.outcome).toBe('stored');
  }
});
