import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Operation } from '../src/contract/operation.ts';
import { createUser } from '../src/domain/operator/users.ts';
import { newId } from '../src/platform/ids.ts';
import { arrange } from './support/arrangements.ts';
import { rightPassword } from './support/browser.ts';
import { everyOperation } from './support/every-operation.ts';
import { mailSettings } from './support/mail.ts';
import { exampleFor, fillPath, makeParameters, parametersOf } from './support/path-parameters.ts';
import { givePassword, signedIn } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { textOf } from './support/snapshot.ts';
import { Studies, tokenIn } from './support/studies.ts';
import { type SmtpServer, startSmtpServer } from './targets/smtp-server.ts';

/** Hostile host names in requests that make links. test/every-operation.test.ts covers all operations. */

const names = ['evil.example', 'evil.example:443', '127.0.0.1.evil.example', '127.0.0.1@evil.example'];
/** Headers with a hostile host name. The trusted proxy in front passes all of them on. */
const hostile = names.flatMap((host): Record<string, string>[] => [
  { host },
  { 'x-forwarded-host': host },
  { host, 'x-forwarded-host': host, 'x-forwarded-proto': 'https', forwarded: `host="${host}";proto=https` },
]);

let smtp: SmtpServer;
/** Both have a mail server; `configured` has a public URL too. */
let configured: TestService;
let bare: TestService;

beforeAll(async () => {
  smtp = await startSmtpServer();
  const proxies = { DRYDOCK_TRUSTED_PROXIES: '127.0.0.1' };
  const mail = await mailSettings(smtp.url);
  [configured, bare] = await Promise.all([
    startTestService({ worker: false, env: { ...mail, ...proxies } }),
    startTestService({ worker: false, env: { DRYDOCK_SMTP_URL: smtp.url, ...proxies } }),
  ]);
});
afterAll(async () => {
  await dispose(configured);
  await dispose(bare);
  await smtp?.stop();
});
beforeEach(() => void (smtp.mails.length = 0));

interface Asked {
  method: string;
  path: string;
  body?: unknown;
  headers: Record<string, string>;
}

/** Sends the Host header as given, which `fetch` does not. */
async function ask(
  { running: { address }, key }: TestService,
  { method, path, body, headers }: Asked,
): Promise<{ status: number; text: string }> {
  const outgoing = request(`${address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, text: await text(answer) };
}

const makers = [
  'createTunnel',
  'createEvalIngestUploadUrl',
  'createEvalArtifactLink',
  'publishStudy',
  'getStudy',
  'rotateStudyLink',
  'upsertStudyMember',
  'updateShare',
  'startConformanceIngestRun',
  'listSessions',
].map((id) => everyOperation.find((one) => one.id === id) ?? id);

describe.each(['configured', 'bare'] as const)('a %s service', (which) => {
  const service = (): TestService => (which === 'configured' ? configured : bare);

  test.each(makers)('$id makes links that begin with its own address, whatever it is called', async (one) => {
    const operation = one as Operation;
    const parameters = await arrange(
      service(),
      operation,
      await makeParameters(service(), parametersOf(operation)),
    );
    const path = `/api/v1${fillPath(operation.path, parameters)}`;
    const body = operation.body && (await exampleFor(service(), operation, parameters));
    for (const headers of hostile) {
      const answer = await ask(service(), { method: operation.method, path, body, headers });
      expect(answer).toMatchObject({ status: operation.status });
      expect(answer.text).not.toContain('evil.example');
      expect(operation.id === 'listSessions' || addressIn(service()).test(answer.text)).toBe(true);
    }
  });

  test.each(['/docs', '/schemas/suite-file.json', '/console/', '/visit'])(
    '%s names no other host',
    async (path) => {
      for (const headers of hostile)
        expect((await ask(service(), { method: 'GET', path, headers })).text).not.toContain('evil.example');
    },
  );

  test('nothing that it keeps leads elsewhere, not even to another port of this machine', async () => {
    const { studies } = await studyOf(service());
    const body = { name: newId('tunnel') };
    const headers = { host: '127.0.0.1:6666' };
    await ask(service(), { method: 'POST', path: `/api/v1${studies.project}/tunnels`, body, headers });
    const database = await service().database.connect();
    const kept = await textOf(database);
    await database.end();
    expect(kept).toContain(`${service().running.address}/tunnels/`);
    expect(kept).not.toMatch(/evil\.example|:6666/);
  });
});

const addressIn = ({ running: { address } }: TestService): RegExp =>
  new RegExp(`"(?:${address}|${address.replace('http', 'ws')})/`);

async function studyOf(service: TestService) {
  const studies = await Studies.of(service, newId('studies'));
  const environmentId = await studies.environment([await studies.evals.server()], {
    modelId: 'drydock/rehearsal',
  });
  const study = await studies.publish(environmentId, { name: 'Desk', mode: 'invited_only' });
  return { studies, id: study.id as string, link: study.link as string };
}

interface Mailing {
  title: string;
  asked: (service: TestService) => Promise<Omit<Asked, 'headers'> & { cookie?: string }>;
  /** Without a public URL the link is in the answer, which says why it was not mailed. */
  answersWithLink?: true;
}

/** Every operation that mails a link. */
const mailing: Mailing[] = [
  {
    title: 'an invitation',
    answersWithLink: true,
    asked: async (service) => ({
      method: 'POST',
      path: `/console/api/organizations/${await organizationOf(service)}/invitations`,
      body: { email: newEmail(), role: 'member' },
      cookie: await sessionOf(service, (await service.member('admin')).userId),
    }),
  },
  {
    title: 'a reset link that an administrator makes',
    answersWithLink: true,
    asked: async (service) => {
      const { userId: memberId } = await service.member('member');
      return {
        method: 'POST',
        path: `/console/api/organizations/${await organizationOf(service)}/members/${memberId}/reset-link`,
        cookie: await sessionOf(service, (await service.member('admin')).userId),
      };
    },
  },
  {
    title: 'a reset link that anybody asks for',
    asked: async ({ db }) => {
      const email = newEmail();
      await createUser(db, { email, name: 'Ada' });
      return { method: 'POST', path: '/console/api/password/reset', body: { email } };
    },
  },
  {
    title: 'the confirmation of an email address',
    asked: async (service) => {
      const { userId } = await service.member('member');
      await givePassword(service, userId);
      const body = { email: newEmail(), currentPassword: rightPassword };
      return {
        method: 'PATCH',
        path: '/console/api/profile',
        body,
        cookie: await sessionOf(service, userId),
      };
    },
  },
  {
    title: 'an invitation to a study',
    asked: async (service) => {
      const { studies, id } = await studyOf(service);
      const body = { email: newEmail(), sendInviteEmail: true };
      return { method: 'PUT', path: `/api/v1${studies.project}/studies/${id}/members`, body };
    },
  },
  {
    title: 'a ticket that anybody asks for',
    asked: async (service) => {
      const { studies, id, link } = await studyOf(service);
      const email = newEmail();
      await studies.put(`/studies/${id}/members`, { email });
      return { method: 'POST', path: '/visit/api/study/ticket', body: { link: tokenIn(link), email } };
    },
  },
];

const newEmail = (): string => `${newId('p')}@example.com`;
const organizationOf = async (service: TestService): Promise<string> =>
  (await service.get('/organizations')).body.items[0].id as string;
const sessionOf = async (service: TestService, userId: string): Promise<string> =>
  (await signedIn(service, userId)).session as string;

async function askForMail(service: TestService, { asked }: Mailing, headers: Record<string, string>) {
  const { cookie, ...rest } = await asked(service);
  const page = rest.path.startsWith('/api') ? {} : { 'x-drydock-console': '1', authorization: '' };
  const session = cookie === undefined ? {} : { cookie: `drydock_session=${cookie}` };
  return ask(service, { ...rest, headers: { ...page, ...session, ...headers } });
}

describe.each(mailing)('$title', (one) => {
  test('leads to the public URL, whatever the service is called', async () => {
    const calls = [{ host: 'evil.example' }, { 'x-forwarded-host': 'evil.example:443' }];
    for (const headers of calls)
      expect((await askForMail(configured, one, headers)).status).toBeLessThan(300);
    await expect.poll(() => smtp.mails.length, { timeout: scaled(10_000) }).toBe(calls.length);
    for (const { raw } of smtp.mails) {
      expect(raw.replaceAll('=\n', '')).toContain(`${configured.running.address}/`);
      expect(raw).not.toContain('evil');
    }
  });

  test('is refused without a public URL', async () => {
    const answer = await askForMail(bare, one, {});
    const body = JSON.parse(answer.text);
    const refused = { code: 'FEATURE_NOT_SUPPORTED', details: { reason: 'PUBLIC_URL_NEEDED' } };
    const mailError: unknown = expect.stringContaining('DRYDOCK_PUBLIC_URL');
    expect(body).toMatchObject(one.answersWithLink ? { mailed: false, mailError } : refused);
    expect(answer.status === 422).toBe(!one.answersWithLink);
    expect(smtp.mails).toEqual([]);
  });
});
