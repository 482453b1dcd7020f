// @module-tag long
import { expect, test } from 'vitest';
import { emptyPlace, place } from './support/process.ts';

const root = process.getuid?.() === 0;

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
  const { code, stdout, stderr } = await drydock.end();
  expect(code).toBe(0);
  expect((stdout + stderr).split(drydock.key as string)).toHaveLength(2);
  expect([stdout, stderr].map((text) => text.includes('run as root'))).toEqual([false, false]);
});

test('a second boot saves nothing again', { tags: ['long'] }, async () => {
  const home = await place();
  const first = await home.serve();
  const { url } = shownCall(first.stdout);
  const key = first.key;
  await first.end();
  const second = await home.serve(root ? { DRYDOCK_COMMAND_USER: 'root' } : {});
  expect(second.stdout).not.toContain('curl');
  // Never without the word of the operator, and then with a warning.
  expect(second.stdout.includes('run as root (DRYDOCK_COMMAND_USER)')).toBe(root);
  const list = new URL(url).pathname.replace(/\/[^/]+\/tools\/call$/, '');
  const answer = await fetch(new URL(list, second.baseUrl), { headers: { authorization: `Bearer ${key}` } });
  expect(((await answer.json()) as { items: unknown[] }).items).toHaveLength(1);
});

test('an exposed service saves no command, and need not warn of any', async () => {
  const home = await place();
  const drydock = await home.serve({ DRYDOCK_PUBLIC_URL: 'https://drydock.example.com' });
  expect(drydock.stdout).not.toContain('tools/call');
  expect(drydock.stdout).toContain('/me');
  expect(drydock.stdout).not.toContain('root');
});

test('a user that commands cannot run as is refused before anything starts', async () => {
  const home = await emptyPlace();
  const { code, stderr } = await home.run(['serve'], { DRYDOCK_COMMAND_USER: 'no-such-user-here' });
  expect(code).toBe(2);
  expect(stderr).toMatch(root ? 'there is no user no-such-user-here' : 'only when the service runs as root');
});
