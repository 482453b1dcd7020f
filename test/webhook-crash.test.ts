// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../src/surfaces/client/index.ts';
import { place } from './support/process.ts';
import { isSigned, Receiver } from './support/receiver.ts';
import { scaled } from './support/slowdown.ts';

const key = `sk_${'hooks'.repeat(8)}`;
const runs = 2;

test('a service that is killed between the commit and the delivery delivers everything afterwards, those of a run in order', {
  timeout: 180_000,
}, async () => {
  const here = await place();
  const receiver = await Receiver.start();
  const env = { DRYDOCK_BOOTSTRAP_KEY: key };
  let service = await here.serve(env);
  let api = createClient({ baseUrl: service.baseUrl, apiKey: key });
  const projectId = (await api.listProjects({})).items[0]?.id as string;
  const { id, secret } = await api.createWebhook({ projectId, body: { name: 'ci', url: receiver.url } });
  const told: string[] = [];
  for (let nth = 0; nth < runs; nth++) {
    const body = { suiteName: 'Reported', results: [{ caseTitle: 'One', passed: nth % 2 === 0 }] };
    // Killed while the first delivery of the run is on its way, or right after the run was acknowledged.
    const seen = receiver.received.length;
    const reported = api.reportEvalRun({ projectId, body });
    if (nth % 2 === 0) receiver.answer = async () => (await reported, service.child.kill('SIGKILL'), 0);
    const { runId } = (await reported) as { runId: string };
    told.push(runId);
    if (nth % 2 === 0) await receiver.until(({ received }) => received.length > seen);
    await service.end('SIGKILL');
    receiver.answer = () => 200;
    service = await here.serve(env);
    api = createClient({ baseUrl: service.baseUrl, apiKey: key });
  }
  const typesOf = (runId: string): string[] => [
    ...new Map(
      receiver.taken
        .filter(({ body }) => body.data.runId === runId)
        .map(({ id: eventId, body }) => [eventId, body.type as string]),
    ).values(),
  ];
  for (
    const ends = Date.now() + scaled(60_000);
    told.some((runId) => typesOf(runId).length < 2);
    await delay(50)
  ) {
    if (Date.now() > ends) throw new Error(`not told: ${JSON.stringify(told.map(typesOf))}`);
    // A failed delivery is retried some seconds later; the test does not wait for it.
    const { items } = await api.listWebhookDeliveries({ projectId, webhookId: id, state: 'pending' });
    for (const delivery of items)
      if (delivery.attempts > 0)
        await api.redeliverWebhook({ projectId, webhookId: id, deliveryId: delivery.id });
  }
  // A run whose outcome is that of none before it changes the gate as well.
  expect(told.map(typesOf)).toEqual(told.map(() => ['eval_run.decided', 'gate.changed']));
  expect(receiver.received.every((one) => isSigned(one, secret))).toBe(true);
  const shown = () => api.getWebhook({ projectId, webhookId: id });
  await expect.poll(shown, { timeout: scaled(10_000) }).toMatchObject({ pending: 0, dead: 0 });
});
