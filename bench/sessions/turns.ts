import { figure, show, table } from '../support/figures.ts';
import { residentMb, stopAll } from '../support/processes.ts';
import { key, modelId, type Service, serve } from './service.ts';

const latency = 50;
const rounds = 7;
const turnsPerRound = 40;
const atOnce = 50;
const message = 'Which ships are there?';

let keys = 0;
const newKey = (): string => `bench ${process.pid} ${++keys}`;

/** Turns and bare calls of the same model, one after the other, in turns. */
export async function compareTurns(dataDir: string): Promise<void> {
  const service = await serve(dataDir, latency);
  const first = { projectId: service.projectId, modelId, message };
  const cases: Record<string, () => Promise<number>> = {
    'bare call': () => bareCall(service, false),
    'turn of a new session': () => turn(service, first),
    'turn of a new session with a server': () => turn(service, { ...first, serverIds: [service.serverId] }),
    'second turn of a session': () => secondTurn(service),
    'first token, bare call': () => bareCall(service, true),
    'first token, turn': () => firstToken(service),
  };
  for (const measure of Object.values(cases)) for (let n = 0; n < 5; n++) await measure();
  const medians = Object.fromEntries(Object.keys(cases).map((name): [string, number[]] => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    const times = Object.fromEntries(Object.keys(cases).map((name): [string, number[]] => [name, []]));
    for (let n = 0; n < turnsPerRound; n++)
      for (const [name, measure] of Object.entries(cases)) times[name]?.push(await measure());
    for (const [name, all] of Object.entries(times)) medians[name]?.push(figure(all).median);
    process.stderr.write(`\rTurns: round ${round} of ${rounds} `);
  }
  process.stderr.write('\r');
  const over = (name: string, base: string): string[] => {
    const [mine, bare] = [medians[name] ?? [], medians[base] ?? []];
    const more = figure(mine.map((median, round) => median - (bare[round] as number)));
    const ratio = figure(mine.map((median, round) => median / (bare[round] as number)));
    return [name, show(more, 1), show(ratio)];
  };
  console.log(
    `\nA model that answers after ${latency} ms; medians of ${turnsPerRound}, ${rounds} rounds in turns`,
  );
  console.log(
    table([
      ['', 'ms over a bare call', 'ratio'],
      over('turn of a new session', 'bare call'),
      over('second turn of a session', 'bare call'),
      over('turn of a new session with a server', 'bare call'),
      over('first token, turn', 'first token, bare call'),
    ]),
  );
  await stopAll();
}

/** Fifty people who talk at the same time, again and again: memory after each round beside that of the third. */
export async function manySessions(dataDir: string): Promise<void> {
  const service = await serve(dataDir, latency);
  const resident: number[] = [];
  const share: number[] = [];
  for (let round = 0; round < 12; round++) {
    const began = performance.now();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const body = { projectId: service.projectId, modelId, message, idempotencyKey: newKey() };
        const { sessionId } = await service.api.sendChatMessage({ body });
        if (sessionId === null) throw new Error('A turn was not stored');
        for (let n = 0; n < 3; n++)
          await service.api.sendChatMessage({ body: { idempotencyKey: newKey(), sessionId, message } });
      }),
    );
    share.push((performance.now() - began) / (4 * latency));
    resident.push(residentMb(service.child));
    process.stderr.write(`\rSessions: round ${round + 1} of 12 `);
  }
  process.stderr.write('\r');
  const settled = resident[2] as number;
  console.log(`\n${atOnce} sessions at once, 4 turns each, 12 rounds (${12 * atOnce * 4} turns)`);
  console.log(
    table([
      ['', ''],
      ['wall time / time of the model alone', show(figure(share.slice(2)))],
      [
        'resident memory / that after round 3',
        resident
          .slice(3)
          .map((mb) => (mb / settled).toFixed(2))
          .join(' '),
      ],
    ]),
  );
  await stopAll();
}

async function bareCall({ providerUrl }: Service, stream: boolean): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${providerUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model', stream, messages: [{ role: 'user', content: message }] }),
  });
  if (!answer.ok) throw new Error(`The provider answered ${answer.status}`);
  const ended = stream ? await untilText(answer, '"content":"') : (await answer.text(), performance.now());
  return ended - began;
}

async function turn({ api }: Service, body: object): Promise<number> {
  const began = performance.now();
  await api.sendChatMessage({ body: { ...body, idempotencyKey: newKey() } as never });
  return performance.now() - began;
}

async function secondTurn(service: Service): Promise<number> {
  const { api, projectId } = service;
  const { sessionId } = await api.sendChatMessage({
    body: { projectId, modelId, message, idempotencyKey: newKey() },
  });
  return turn(service, { sessionId, message });
}

async function firstToken({ baseUrl, projectId }: Service): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${baseUrl}/chat-sessions/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ projectId, modelId, message, idempotencyKey: newKey() }),
  });
  if (!answer.ok) throw new Error(`The service answered ${answer.status}`);
  return (await untilText(answer, '"type":"text"')) - began;
}

/** When this comes; the rest is read too. */
async function untilText(answer: Response, words: string): Promise<number> {
  let at: number | undefined;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (at === undefined && text.includes(words)) at = performance.now();
  }
  if (at === undefined) throw new Error(`No ${words} in ${text.slice(0, 500)}`);
  return at;
}
