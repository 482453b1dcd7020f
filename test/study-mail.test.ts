import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailSettings } from './support/mail.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { ok, Studies, tokenIn, Visitor } from './support/studies.ts';
import { type SmtpServer, startSmtpServer } from './targets/smtp-server.ts';

let smtp: SmtpServer;
let service: TestService;
let studies: Studies;
let link: string;
let id: string;

beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startTestService({
    worker: false,
    env: { ...(await mailSettings(smtp.url)), DRYDOCK_MAIL_FROM: 'Harbour <harbour@example.com>' },
  });
  studies = await Studies.of(service);
  const environmentId = await studies.environment([await studies.evals.server()], {
    modelId: 'drydock/rehearsal',
  });
  ({ link, id } = await studies.publish(environmentId, { name: 'Harbour desk', mode: 'invited_only' }));
});
afterAll(async () => {
  await dispose(service);
  await smtp?.stop();
});

/** The way in that was mailed to somebody. */
async function mailed(to: string): Promise<string> {
  const mails = () => smtp.mails.filter((mail) => mail.raw.includes(`To: ${to}`));
  await expect.poll(() => mails().length, { timeout: scaled(10_000) }).toBeGreaterThan(0);
  const text = mails().at(-1)?.raw.replaceAll('=\n', '').replaceAll('=3D', '=') ?? '';
  return /http\S+\/visit#t\.[\w-]{43}/.exec(text)?.[0] ?? '';
}

test('an invitation is mailed where asked for, and lets one person in once', async () => {
  const body = { email: 'ada@example.com', sendInviteEmail: true };
  const answer = ok(await studies.put(`/studies/${id}/members`, body));
  expect(answer).toMatchObject({ invited: true, email: 'ada@example.com' });
  expect(Object.keys(answer)).not.toContain('entryUrl');
  const way = await mailed('ada@example.com');
  const ada = new Visitor(service);
  expect(ok(await ada.enter(way)).visitor.kind).toBe('invited');
  expect((await new Visitor(service).enter(way)).status).toBe(404);
  expect(service.logs.join('\n')).not.toContain(tokenIn(way));
});

test('whoever is invited can ask for another one at the link, and nobody learns who is', async () => {
  ok(await studies.put(`/studies/${id}/members`, { email: 'bob@example.com' }));
  const ask = (email: string) =>
    new Visitor(service).request('POST', '/study/ticket', { link: tokenIn(link), email });
  const [invited, stranger] = [await ask('Bob@example.com'), await ask('eve@example.com')];
  expect([invited.status, invited.text]).toEqual([stranger.status, stranger.text]);
  expect(ok(await new Visitor(service).enter(await mailed('bob@example.com'))).visitor.kind).toBe('invited');
  expect(smtp.mails.some(({ raw }) => raw.includes('eve@example.com'))).toBe(false);
  const opened = await new Visitor(service).request('POST', '/study/open', { link: tokenIn(link) });
  expect(opened.body).toMatchObject({ name: 'Harbour desk', entry: 'invitation', mail: true });
});

test('a way in that was not used ends with the invitation', async () => {
  const { entryUrl } = ok(await studies.put(`/studies/${id}/members`, { email: 'cy@example.com' }));
  ok(await service.delete(`${studies.project}/studies/${id}/members/cy@example.com`));
  expect((await new Visitor(service).enter(entryUrl)).status).toBe(404);
});

test('asking again and again is braked', async () => {
  const ask = () =>
    new Visitor(service).request('POST', '/study/ticket', {
      link: tokenIn(link),
      email: 'bob@example.com',
    });
  const statuses = [];
  for (let at = 0; at < 5; at++) statuses.push((await ask()).status);
  expect(statuses.at(-1)).toBe(429);
});
