// @module-tag long
// @module-tag chromium
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startBrowser, visit } from './support/chromium.ts';
import { mailSettings } from './support/mail.ts';
import { place } from './support/process.ts';
import { client, startOpenIdProvider } from './targets/openid-provider.ts';
import { startSmtpServer } from './targets/smtp-server.ts';

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'paper boats in the rain' };
const grace = { name: 'Grace Hopper', email: 'grace@example.com', password: 'cobol and nanoseconds' };

test('from the link of the first start to a key, a colleague and the way out', async () => {
  const [drydock, browser] = await Promise.all([place().then((home) => home.serve()), startBrowser()]);
  const baseUrl = new URL(drydock.baseUrl).origin;
  const link = /Console +(\S+)/.exec(drydock.stdout)?.[1] as string;
  const { page, complaints } = await visit(browser, { baseUrl });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));

  // The link signs in once, and its token is in no other request.
  await page.goto(link);
  await page.getByRole('heading', { name: 'Set up your account' }).waitFor();
  expect(page.url()).toBe(`${baseUrl}/console/set-up`);
  expect(asked.filter((url) => !url.startsWith(`${baseUrl}/console/enter`)).join()).not.toContain(
    link.split('#')[1],
  );
  await page.getByLabel('Name').fill(ada.name);
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel(/^Password/).fill('short');
  await page.getByLabel('Name').focus();
  await page.getByText('At least 10 characters.').waitFor();
  await page.getByLabel(/^Password/).fill(ada.password);
  await page.getByRole('button', { name: 'Save and continue' }).click();

  // A key works over the API until it is revoked.
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('CI');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = (await page.getByLabel('key', { exact: true }).textContent()) as string;
  expect(await page.getByLabel('curl command', { exact: true }).textContent()).toContain(key);
  const me = () => fetch(`${baseUrl}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  expect(await (await me()).json()).toMatchObject({ email: ada.email, name: ada.name });
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Revoke key CI' }).click();
  await page.getByText('stops working immediately').waitFor();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('Key CI revoked').waitFor();
  expect((await me()).status).toBe(401);

  // A colleague joins by invitation and sees the pages of a member.
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Email').fill(grace.email);
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const invitation = (await page.getByLabel('link', { exact: true }).textContent()) as string;
  const other = await visit(browser, { baseUrl });
  await accept(other.page, invitation);
  const organizationId = /organizations\/(\w+)/.exec(page.url())?.[1] as string;
  await seesWhatMembersMay(other.page, organizationId);
  await page.reload();
  await page.getByRole('combobox', { name: `Role of ${grace.name}` }).waitFor();

  // Signing out in one tab signs out the other, which keeps its address.
  const second = await page.context().newPage();
  const audit = `/console/organizations/${organizationId}/audit?action=key.*`;
  await second.goto(audit);
  await second.getByText('revoked an API key').waitFor();
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(second.url()).searchParams.get('to')).toContain('/audit?action=');
  await page.waitForURL('**/console/sign-in');
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);

  await signIn(page, { ...ada, password: 'not the password' });
  await page.getByText('Incorrect email or password.').waitFor();
  await signIn(page, ada);
  await page.getByRole('button', { name: `Account: ${ada.name}` }).waitFor();
  await second.getByText('revoked an API key').waitFor();
  expect(new URL(second.url()).pathname).toBe(new URL(audit, baseUrl).pathname);

  // `to` never leads to another site, and guesses are throttled.
  await page.goto('/console/sign-in?to=//evil.example/');
  await page.getByRole('link', { name: 'Members' }).waitFor();
  expect(new URL(page.url()).origin).toBe(baseUrl);
  await guesses((await visit(browser, { baseUrl })).page);
  expect([...complaints, ...other.complaints]).toEqual([]);
});

test('a provider lets somebody in, who comes back to where they wanted to go, chooses a password and an address, and unlinks it', async () => {
  const olga = { sub: 'olga', email: 'olga@example.com', email_verified: true, name: 'Olga' };
  const provider = await startOpenIdProvider({ atTheDoor: olga });
  const smtp = await startSmtpServer();
  onTestFinished(async () => void (await Promise.all([provider.stop(), smtp.stop()])));
  const env = {
    DRYDOCK_OIDC_ISSUER: provider.issuer,
    DRYDOCK_OIDC_CLIENT_ID: client.id,
    DRYDOCK_OIDC_CLIENT_SECRET: client.secret,
    DRYDOCK_OIDC_NAME: 'Harbour',
    DRYDOCK_OIDC_ORGANIZATION: 'Drydock',
    ...(await mailSettings(smtp.url)),
  };
  const [drydock, browser] = await Promise.all([place().then((home) => home.serve(env)), startBrowser()]);
  const baseUrl = new URL(drydock.baseUrl).origin;
  const { page, complaints } = await visit(browser, { baseUrl });
  await page.goto('/console/account');
  await page.getByRole('button', { name: 'Sign in with Harbour' }).click();
  await page.getByRole('table', { name: 'Linked identities' }).getByText(provider.issuer).waitFor();
  await page.getByText('Drydock (member)').waitFor();
  expect(page.url()).toBe(`${baseUrl}/console/account`);
  const unlink = async (password?: string) => {
    await page.getByRole('button', { name: `Unlink ${provider.issuer}` }).click();
    const dialog = page.getByRole('dialog');
    if (password !== undefined) await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Unlink identity' }).click();
    return dialog;
  };
  await (await unlink()).getByText('Set a password before').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel(/^New password/).fill(ada.password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('Password changed').waitFor();
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Your password').fill(ada.password);
  await page.getByRole('button', { name: 'Save profile' }).click();
  await page.getByText(`open the link we sent to ${ada.email}`).waitFor();
  await expect.poll(() => smtp.mails.length).toBe(1);
  const link = /\/console\/enter#[\w-]{43}/.exec(smtp.mails[0]?.raw ?? '')?.[0] as string;
  // Only a person signed in to the account can use the link.
  const stranger = await visit(browser, { baseUrl });
  await stranger.page.goto(link);
  await stranger.page.getByText('If you did not request this').waitFor();
  await page.goto(link);
  await page.getByRole('button', { name: `Use ${ada.email}` }).click();
  await page.getByRole('button', { name: 'Account: Olga' }).waitFor();
  await page.goto('/console/account');
  await page
    .getByLabel('Email')
    .and(page.locator(`[value="${ada.email}"]`))
    .waitFor();
  await unlink(ada.password);
  await page.getByText('Identity unlinked').waitFor();
  await page.getByRole('button', { name: 'Link Harbour' }).click();
  await page.getByRole('dialog').getByLabel('Your password').fill(ada.password);
  await page.getByRole('button', { name: 'Go to Harbour' }).click();
  await page.getByRole('table', { name: 'Linked identities' }).getByText(provider.issuer).waitFor();
  // An unknown callback is refused with the remedy, and its query is removed from the URL.
  await page.goto('/console/oidc?state=x&code=y');
  await page.getByText('Start again from the sign-in page.').waitFor();
  expect(page.url()).toBe(`${baseUrl}/console/oidc`);
  expect([...complaints, ...stranger.complaints]).toEqual([]);
});

async function accept(page: Page, invitation: string): Promise<void> {
  await page.goto(invitation);
  await page.getByRole('heading', { name: 'Join Drydock' }).waitFor();
  expect(page.url()).not.toContain('#');
  await page.getByText(`${grace.email} is invited as member.`).waitFor();
  await page.getByLabel('Name').fill(grace.name);
  await page.getByLabel(/^Password/).fill(grace.password);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('button', { name: `Account: ${grace.name}` }).waitFor();
  // Opened again, the link is refused with the reason.
  const again = await page.context().newPage();
  await again.goto(invitation);
  await again.getByText('This link has already been used.').waitFor();
  await again.close();
}

async function seesWhatMembersMay(page: Page, organizationId: string): Promise<void> {
  const at = `/console/organizations/${organizationId}`;
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await page.goto(`${at}/members`);
  await page.getByText(ada.email).waitFor();
  expect(await pages.getByRole('link').allTextContents()).toEqual(
    expect.arrayContaining(['Members', 'Project access', 'API keys', 'Usage']),
  );
  for (const name of ['Audit log', 'Settings', 'Installation'])
    expect(await pages.getByRole('link', { name }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Invite|Remove|Leave/ }).count()).toBe(0);
  expect(await page.getByRole('combobox').count()).toBe(0);
  for (const [address, words] of [
    [`${at}/audit`, 'Only an administrator of the organization can do this'],
    [`${at}/settings`, 'Administrators only'],
    ['/console/installation', 'Only an operator of the installation can do this'],
    ['/console/organizations/org_00000000000000000000000000/keys', 'Organization not found'],
  ] as const) {
    await page.goto(address);
    await page.getByText(words).waitFor();
  }
}

async function signIn(page: Page, { email, password }: typeof ada): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Guesses for an unknown address are throttled too. */
async function guesses(page: Page): Promise<void> {
  await page.goto('/console/sign-in');
  for (let tries = 0; tries < 6; tries++) {
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await signIn(page, { name: '', email: 'nobody@example.com', password: `guess ${tries}` });
    await answered;
  }
  await page.getByText('Too many attempts.').waitFor();
  expect(await page.getByRole('button', { name: /^Try again in \d+ s$/ }).isDisabled()).toBe(true);
}
