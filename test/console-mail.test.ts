// @module-tag long
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setMember } from '../src/domain/operator/members.ts';
import { createUser } from '../src/domain/operator/users.ts';
import { newId } from '../src/platform/ids.ts';
import { Browser, rightPassword } from './support/browser.ts';
import { mailSettings } from './support/mail.ts';
import { actionsOf, givePassword, signedIn } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { type ReceivedMail, type SmtpServer, startSmtpServer } from './targets/smtp-server.ts';

let smtp: SmtpServer;
let service: TestService;
let admin: Browser;
let organizationId: string;

beforeAll(async () => {
  smtp = await startSmtpServer();
  service = await startTestService({
    worker: false,
    env: {
      ...(await mailSettings(smtp.url)),
      DRYDOCK_MAIL_FROM: 'Harbour <harbour@example.com>',
      DRYDOCK_TRUSTED_PROXIES: '127.0.0.0/8',
    },
  });
  admin = await signedIn(service, (await service.member('admin')).userId);
  organizationId = ((await admin.people.getSession()) as { organizationId: string }).organizationId;
});
afterAll(async () => {
  await dispose(service);
  await smtp?.stop();
});
beforeEach(() => {
  smtp.temper = 'ready';
  smtp.mails.length = 0;
});

let addresses = 0;
/** A browser at a new IP address, so that requests are counted apart. */
const browser = (headers: Record<string, string> = {}): Browser =>
  new Browser(service, { 'x-forwarded-for': `10.0.0.${++addresses}`, ...headers });

const newEmail = (): string => `${newId('p')}@example.com`;
const invite = (email: string, tab = admin) =>
  tab.people.createInvitation({ organizationId, body: { email, role: 'member' } });

async function nextMail(): Promise<ReceivedMail> {
  await expect.poll(() => smtp.mails.length, { timeout: scaled(10_000) }).toBeGreaterThan(0);
  return smtp.mails.shift() as ReceivedMail;
}

/** The header with folded lines joined, and the decoded text. */
function read({ raw }: ReceivedMail): { header: string; text: string } {
  const [head = '', ...rest] = raw.split('\n\n');
  const header = head.replaceAll(/\n[ \t]+/g, ' ');
  const text = rest.join('\n\n');
  if (!/^content-transfer-encoding: quoted-printable$/im.test(header)) return { header, text };
  return { header, text: text.replaceAll('=\n', '').replaceAll('=3D', '=') };
}

const tokenIn = (text: string): string => /\/console\/enter#([\w-]{43})\n/.exec(text)?.[1] as string;

test('an invitation arrives, and its link opens an account', async () => {
  const email = newEmail();
  expect(await invite(email)).toMatchObject({ mailed: true, invitation: { email } });
  const mail = await nextMail();
  expect(mail).toMatchObject({ from: 'harbour@example.com', to: [email] });
  const { header, text } = read(mail);
  expect(header).toContain('Subject: You are invited to Drydock on Drydock');
  expect(header).toContain('From: Harbour <harbour@example.com>');
  expect(text).toContain(`${service.origin}/console/enter#`);
  const { user } = await browser().people.useLink({
    body: { token: tokenIn(text), name: 'Ada', password: rightPassword },
  });
  expect(user.email).toBe(email);
});

test('a link to a new password arrives at the address of the account, and leads to this installation', async () => {
  const email = newEmail();
  const userId = await createUser(service.db, { email, name: 'Ada' });
  // A request under a foreign host name is refused.
  const elsewhere = browser({ 'x-forwarded-host': 'evil.example', origin: 'http://evil.example' });
  await expect(elsewhere.people.requestReset({ body: { email } })).rejects.toMatchObject({ status: 403 });
  expect(await browser().people.requestReset({ body: { email: email.toUpperCase() } })).toEqual({
    mail: true,
  });
  const mail = await nextMail();
  expect(mail.to).toEqual([email]);
  const { text } = read(mail);
  expect(text).toContain(`${service.origin}/console/enter#`);
  expect(mail.raw).not.toContain('evil');
  const body = { token: tokenIn(text), password: 'paper boats in the rain' };
  expect((await browser().people.useLink({ body })).user.id).toBe(userId);
  expect(await actionsOf(service, userId)).toEqual(
    expect.arrayContaining(['password.request-reset', 'password.reset', 'session.begin']),
  );
});

test('a new address counts when the link that goes there was opened by whoever is signed in', async () => {
  const [before, email, bystander] = [newEmail(), newEmail(), newEmail()];
  const userId = await createUser(service.db, { email: before, name: 'Ada' });
  await setMember(service.db, { organization: organizationId }, { user: userId, role: 'member' });
  await givePassword(service, userId);
  await givePassword(service, await createUser(service.db, { email: bystander, name: 'Eve' }));
  // The address has an open invitation. Without a confirmation mail, taking it would be refused.
  await invite(email);
  expect((await nextMail()).to).toEqual([email]);
  const tab = await signedIn(service, userId);
  const body = { email, currentPassword: rightPassword };
  const asked = await tab.people.updateProfile({ body });
  expect(asked).toMatchObject({ confirmationSentTo: email, user: { email: before } });
  const mail = await nextMail();
  expect(mail.to).toEqual([email]);
  const token = tokenIn(read(mail).text);
  const eve = browser();
  await eve.people.signIn({ body: { email: bystander, password: rightPassword } });
  for (const other of [browser(), eve]) {
    const facts = await other.people.readLink({ body: { token } });
    expect(facts).toMatchObject({ kind: 'email', email, needs: 'sign-in' });
    await expect(other.people.useLink({ body: { token } })).rejects.toMatchObject({
      status: 401,
      details: { reason: 'SIGN_IN_FIRST' },
    });
  }
  expect((await tab.people.getSession()) as object).toMatchObject({ user: { email: before } });
  expect((await tab.people.useLink({ body: { token } })).user).toMatchObject({ id: userId, email });
  expect((await nextMail()).to).toEqual([before]);
  const { items } = await admin.people.listAuditEvents({ organizationId, action: 'user.*', target: userId });
  expect(items.map(({ action, details }) => [action, details])).toEqual([
    ['user.change-email', { oldEmail: before, newEmail: email }],
    ['user.request-email', { newEmail: email }],
  ]);
});

test('a new address that nobody confirmed changes nothing, and one that somebody else took is refused', async () => {
  const [before, email] = [newEmail(), newEmail()];
  const userId = await createUser(service.db, { email: before, name: 'Ada' });
  await givePassword(service, userId);
  const tab = await signedIn(service, userId);
  const change = () => tab.people.updateProfile({ body: { email, currentPassword: rightPassword } });
  await change();
  const token = tokenIn(read(await nextMail()).text);
  await expect(browser().people.signIn({ body: { email, password: rightPassword } })).rejects.toMatchObject({
    status: 401,
  });
  await createUser(service.db, { email, name: 'Grace' });
  await expect(tab.people.useLink({ body: { token } })).rejects.toMatchObject({
    details: { code: 'EMAIL_TAKEN' },
  });
  await expect(change()).rejects.toMatchObject({ details: { code: 'EMAIL_TAKEN' } });
  expect(await tab.people.getSession()).toMatchObject({ user: { email: before } });
});

test('nobody gets more than three of them', async () => {
  const email = newEmail();
  await createUser(service.db, { email, name: 'Ada' });
  for (let asked = 0; asked < 5; asked++)
    expect(await browser().people.requestReset({ body: { email } })).toEqual({ mail: true });
  await invite(newEmail());
  await expect.poll(() => smtp.mails.length, { timeout: scaled(10_000) }).toBe(4);
  expect(smtp.mails.filter(({ to }) => to[0] === email)).toHaveLength(3);
});

const evil = 'Eve\r\nBcc: victim@example.com\r\n\r\nA text of hers';

test('names and addresses stay what they are, whatever is in them', async () => {
  const userId = await createUser(service.db, { email: newEmail(), name: evil });
  await setMember(service.db, { organization: organizationId }, { user: userId, role: 'admin' });
  const database = await service.database.connect();
  const rename = (name: string) =>
    database.query('update organizations set name = $1 where id = $2', [name, organizationId]);
  await rename(evil);
  const eve = await signedIn(service, userId);
  const email = newEmail();
  await invite(email, eve);
  const mail = await nextMail();
  await rename('Drydock');
  await database.end();
  expect(mail.to).toEqual([email]);
  expect(read(mail).header).not.toMatch(/^bcc/im);
  expect(read(mail).header).toContain('Subject: You are invited to Eve');
  await expect(invite('a@example.com\r\nBcc: victim@example.com')).rejects.toMatchObject({ status: 400 });
  await expect(invite('a@example.com,victim@example.com')).rejects.toMatchObject({ status: 400 });
  await invite('nobody,victim@example.com');
  await invite(email);
  // An address with a comma was not taken for a list of recipients.
  await expect.poll(() => smtp.mails.flatMap(({ to }) => to), { timeout: scaled(10_000) }).toContain(email);
  expect(smtp.mails.flatMap(({ to }) => to)).not.toContain('victim@example.com');
});

test.each(['deaf', 'strict', 'gone'] as const)(
  'a mail server that is %s fails and delays nothing, and does not tell who is known',
  async (temper) => {
    const known = newEmail();
    await createUser(service.db, { email: known, name: 'Ada' });
    const away = temper === 'gone' ? await startWithout() : undefined;
    if (temper !== 'gone') smtp.temper = temper;
    const ask = async (email: string) => {
      const tab = away ? new Browser(away) : browser();
      const start = performance.now();
      const answer = await tab.people.requestReset({ body: { email } });
      return { answer, took: performance.now() - start };
    };
    const answers = [await ask(known), await ask(newEmail())];
    for (const { answer, took } of answers) {
      expect(answer).toEqual({ mail: true });
      expect(took).toBeLessThan(scaled(3_000));
    }
    await dispose(away);
  },
);

/** A service whose mail server is unreachable. */
async function startWithout(): Promise<TestService> {
  return startTestService({ worker: false, env: await mailSettings('smtp://postman:word@127.0.0.1:1') });
}

test('what goes wrong is logged, without the password of the server and without the link', async () => {
  smtp.temper = 'strict';
  service.logs.length = 0;
  const { url } = await invite(newEmail());
  await expect
    .poll(() => service.logs.join(''), { timeout: scaled(10_000) })
    .toContain('Mail could not be sent');
  const log = service.logs.join('');
  for (const secret of [url.split('#')[1] as string, 'the-word-of-the-postman', btoaOf('the-word')])
    expect(log).not.toContain(secret);
});

/** The beginning of the credentials in the client's AUTH PLAIN line. */
function btoaOf(word: string): string {
  return Buffer.from(`\0postman\0${word}`).toString('base64').slice(0, 20);
}
