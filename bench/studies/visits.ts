import { key, modelId, type Service, serve } from '../sessions/service.ts';
import { figure, show, table } from '../support/figures.ts';
import { stopAll } from '../support/processes.ts';

const latency = 50;
const rounds = 7;
const turnsPerRound = 25;
const message = 'Which ships are there?';

let keys = 0;
const newKey = (): string => `bench ${process.pid} ${++keys}`;

/** A turn of a visitor and one of a key in the same environment, one after the other, in turns. */
export async function compareVisits(dataDir: string): Promise<void> {
  const service = await serve(dataDir, latency);
  const { environmentId, token } = await publish(service);
  const { origin } = new URL(service.baseUrl);
  const stream = async (url: string, bearer: string, body: object): Promise<number> => {
    const began = performance.now();
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: newKey(), message, ...body }),
    });
    const text = await response.text();
    if (!text.includes('"turn.ended"')) throw new Error(text);
    return performance.now() - began;
  };
  const { projectId } = service;
  const first = { projectId, environmentId, modelId, toolMode: 'auto' };
  const cases = {
    key: () => stream(`${service.baseUrl}/chat-sessions/messages/events`, key, first),
    visitor: () => stream(`${origin}/visit/api/visit/messages`, token, {}),
  };
  const measure = async (times: Record<keyof typeof cases, number[]>): Promise<void> => {
    times.key.push(await cases.key());
    times.visitor.push(await cases.visitor());
  };
  const warm = { key: [], visitor: [] };
  for (let n = 0; n < 5; n++) await measure(warm);
  const medians = { key: [] as number[], visitor: [] as number[] };
  for (let round = 1; round <= rounds; round++) {
    const times = { key: [], visitor: [] };
    for (let n = 0; n < turnsPerRound; n++) await measure(times);
    medians.key.push(figure(times.key).median);
    medians.visitor.push(figure(times.visitor).median);
    process.stderr.write(`\rTurns: round ${round} of ${rounds} `);
  }
  process.stderr.write('\r');
  const { key: keyed, visitor } = medians;
  const more = figure(visitor.map((median, round) => median - (keyed[round] as number)));
  const ratio = figure(visitor.map((median, round) => median / (keyed[round] as number)));
  console.log(
    `\nA model that answers after ${latency} ms; medians of ${turnsPerRound}, ${rounds} rounds in turns`,
  );
  console.log(
    table([
      ['', 'ms over that of a key', 'ratio'],
      ['turn of a visitor', show(more, 1), show(ratio)],
    ]),
  );
  await stopAll();
}

async function publish({
  api,
  projectId,
  serverId,
}: Service): Promise<{ environmentId: string; token: string }> {
  const { id: hostId } = await api.createClient({
    projectId,
    body: { name: newKey(), config: { modelId, serverIds: [serverId] } },
  });
  const { id: environmentId } = await api.createEnvironment({ projectId, body: { name: newKey(), hostId } });
  const body = { mode: 'anyone_with_link' as const };
  const { link } = await api.publishStudy({ projectId, environmentId, body });
  const { origin, hash } = new URL(link as string);
  const entered = await fetch(`${origin}/visit/api/study/enter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-drydock-console': '1' },
    body: JSON.stringify({ link: hash.slice(1) }),
  });
  const { token } = (await entered.json()) as { token: string };
  return { environmentId, token };
}
