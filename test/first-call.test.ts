import { expect, test } from 'vitest';
import { place } from './support/process.ts';

/** The parts of the curl command that the banner shows. */
function shownCall(banner: string): { url: string; body: string } {
  const url = /(http:\S+\/tools\/call)/.exec(banner)?.[1] as string;
  const body = /-d '(.*)'/.exec(banner)?.[1] as string;
  return { url, body };
}

test('the first boot shows a call that does something real', async () => {
  const home = await place();
  const drydock = await home.serve();
  const { url, body } = shownCall(drydock.stdout);
  const headers = { authorization: `Bearer ${drydock.key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ structuredContent: { ship: 'Albatross', seaworthy: false } });
  const { code, stderr } = await drydock.end();
  expect({ code, stderr }).toMatchObject({ code: 0 });
});

test('a second boot saves nothing again', async () => {
  const home = await place();
  const first = await home.serve();
  const { url } = shownCall(first.stdout);
  const key = first.key;
  await first.end();
  const second = await home.serve();
  expect(second.stdout).not.toContain('curl');
  const list = new URL(url).pathname.replace(/\/[^/]+\/tools\/call$/, '');
  const answer = await fetch(new URL(list, second.baseUrl), { headers: { authorization: `Bearer ${key}` } });
  expect(((await answer.json()) as { items: unknown[] }).items).toHaveLength(1);
});

test('an exposed service saves no command', async () => {
  const home = await place();
  const drydock = await home.serve({ DRYDOCK_HOST: '0.0.0.0' });
  expect(drydock.stdout).not.toContain('tools/call');
  expect(drydock.stdout).toContain('/me');
});
