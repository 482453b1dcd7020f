// @module-tag long
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { setFeature } from '../src/domain/operator/organizations.ts';
import { seriousFindings } from './support/access.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { executing, promptCase } from './support/evals.ts';
import { misplaced, mixed, unbroken } from './support/hostile-names.ts';
import { focusOf, tabTo } from './support/keyboard.ts';
import { givePassword, newSession } from './support/people.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { ok, Studies, Visitor } from './support/studies.ts';

describe('studies in the console', { tags: ['chromium'] }, () => {
  let provider: ScriptedProvider;
  let service: TestService;
  let studies: Studies;
  let server: string;
  let browser: Browser;
  const ends: (() => Promise<void>)[] = [];
  executing(async (parts) => {
    ({ provider, service } = parts);
    studies = await Studies.of(service);
    server = await studies.evals.server({ name: 'Harbour' });
  });
  beforeAll(async () => {
    browser = await startBrowser((end) => void ends.push(end));
  });
  afterAll(() => Promise.all(ends.map((end) => end())));
  beforeEach(() => {
    provider.script = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
  });

  test('an environment is published, visited, read, made an eval case of, and unpublished', async () => {
    await studies.environment([server]);
    const suiteId = await studies.evals.suite({
      name: 'What people ask',
      serverIds: [server],
      tests: [promptCase('Greets', 'Hello')],
    });
    const { page, complaints, at, button, dialog, tab } = await opened();
    await page.goto(at);
    await page.getByRole('link', { name: 'Studies', exact: true }).click();
    await page.getByText('No study is published').waitFor();

    // The preview shows the study as visitors will see it.
    await button('Publish environment').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('Harbour desk');
    await page.getByRole('textbox', { name: /^Description/ }).fill('Find out <i>which ships</i> are here.');
    const preview = page.getByRole('region', { name: 'Visitor preview' });
    await preview.getByRole('heading', { name: 'Harbour desk' }).waitFor();
    await preview.getByText('Find out <i>which ships</i> are here.').waitFor();
    await preview.getByText('scripted/model').waitFor();
    await expect.poll(() => preview.textContent()).toMatch(/ServersHarbourTools\d+Tool calls/);
    expect(await preview.getByText('credits per day').count()).toBe(0);
    await page.getByRole('radio', { name: /^Anyone with the link/ }).check();
    await preview.getByText('500 credits per day').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button('Publish').click();
    await page.getByRole('dialog', { name: 'Harbour desk is published' }).waitFor();
    await button('Copy link').click();
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const visitorsLink = page.getByRole('link', { name: 'Open as a visitor' });
    expect(await visitorsLink.getAttribute('href')).toBe(link);
    const [study] = ok(await service.get(`${studies.project}/studies`)).items;
    expect(study).toMatchObject({ name: 'Harbour desk', mode: 'anyone_with_link', link: { url: link } });
    expect((await studies.read(study.id)).guestExecution.dailyCreditCap).toBe(500);
    await button('Done').click();
    const row = page.getByRole('table', { name: 'Studies' }).getByRole('row', { name: /Harbour desk/ });
    await row.getByText('Anyone with the link').waitFor();
    await row.getByText('none yet').waitFor();
    await button('Copy link of Harbour desk').waitFor();

    // A guest enters by the copied link and rates the session.
    const guest = new Visitor(service);
    ok(await guest.enter(link, { displayName: '<b>Ada</b>', language: 'en' }));
    const { last } = await guest.say('Which ships are <u>there</u>?');
    const rating = { rating: -1, comment: 'Too <s>slow</s>' };
    ok(await guest.request('PUT', `/visit/sessions/${last.sessionId}/feedback`, rating));
    await row.getByRole('link', { name: 'Harbour desk' }).click();
    await page.getByRole('heading', { name: 'Harbour desk', level: 1 }).waitFor();
    await tab('Sessions').click();
    const session = page.getByRole('table', { name: 'Sessions' }).getByRole('row', { name: /Which ships/ });
    await session.getByText('<b>Ada</b>, guest').waitFor();
    await session.getByText('down').waitFor();
    await session.getByText('Too <s>slow</s>').waitFor();
    await session.getByRole('link').click();
    const transcript = page.getByRole('list', { name: 'Transcript' });
    await transcript.getByText('Which ships are <u>there</u>?').waitFor();
    await transcript.getByText('list_ships').waitFor();
    await transcript.getByText('Albatross, Bittern and Cormorant.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    // One action makes the session a case; the next time the same suite is proposed.
    await button('Create eval case').click();
    await dialog.getByLabel('Suite').selectOption({ label: 'What people ask' });
    await button('Create case').click();
    await page.getByRole('link', { name: 'Which ships are <u>there</u>?' }).waitFor();
    const cases = ok(await service.get(`${studies.project}/eval-suites/${suiteId}/cases`)).items;
    expect(cases.at(-1)).toMatchObject({ title: 'Which ships are <u>there</u>?' });
    await page.reload();
    await button('Create eval case').click();
    await expect.poll(() => dialog.getByLabel('Suite').inputValue()).toBe(suiteId);
    await button('Create case').click();
    await page.getByText('The suite already has this case.').waitFor();
    await page.getByRole('link', { name: 'Open case' }).click();
    await page.getByRole('button', { name: 'Run once' }).waitFor();

    // Restricting access lists who loses it, and takes effect at once.
    await page.goto(`${at}/studies/${study.id}`);
    await button('Change access').click();
    await page.getByRole('radio', { name: /^Invited people/ }).check();
    await page.getByText('Guests lose access immediately.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button('Restrict access').click();
    await page.getByText('Access changed: invited people').waitFor();
    expect((await guest.request('GET', '/visit')).status).toBe(401);

    // An invited person enters with a one-time link and keeps access until removed.
    await tab('Members').click();
    await page.getByText('No invited people').waitFor();
    await button('Invite member').click();
    await dialog.getByRole('textbox', { name: /^Email/ }).fill('grace@example.com');
    await button('Invite').click();
    await page.getByText('This service sends no email').waitFor();
    await button('Copy link').click();
    const entry = (await page.evaluate('navigator.clipboard.readText()')) as string;
    await button('Done').click();
    const grace = new Visitor(service);
    ok(await grace.enter(entry));
    expect((await new Visitor(service).enter(entry)).status).toBe(404);
    await button('Remove grace@example.com').click();
    await page.getByText('grace@example.com loses access immediately.').waitFor();
    await button('Remove').click();
    await page.getByText('grace@example.com removed').waitFor();
    await page.getByText('No invited people').waitFor();
    expect((await grace.request('GET', '/visit')).status).toBe(401);

    // A new link, another environment, another guest cap and another name; then the study is unpublished.
    await tab('Overview').click();
    await button('New link').click();
    await page.getByText('Visitors already in the study can continue').waitFor();
    await button('Replace link').click();
    await page.getByText('Link replaced').waitFor();
    const now = await studies.read(study.id);
    expect(now.link.url).not.toBe(link);
    await expect.poll(() => visitorsLink.getAttribute('href')).toBe(now.link.url);
    const elsewhere = await studies.environment([server], { requireToolApproval: true });
    await button('Change environment').click();
    await dialog.getByLabel('Environment').selectOption(elsewhere);
    await preview.getByText('need visitor approval').waitFor();
    await button('Move study').click();
    await page.getByText('Study moved').waitFor();
    expect((await studies.read(study.id)).environmentId).toBe(elsewhere);
    const cap = page.getByRole('textbox', { name: /^Daily credit limit/ });
    await cap.fill('many');
    expect(await button('Save guest settings').isDisabled()).toBe(true);
    await cap.fill('12.5');
    await button('Save guest settings').click();
    await page.getByText('Guest settings saved').waitFor();
    expect((await studies.read(study.id)).guestExecution).toEqual({
      ...now.guestExecution,
      dailyCreditCap: 12.5,
    });
    await button('Edit').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('Harbour office');
    await button('Save changes').click();
    await page.getByRole('heading', { name: 'Harbour office', level: 1 }).waitFor();
    await button('Unpublish').click();
    await button('Unpublish study').click();
    await page.getByText('Harbour office unpublished').waitFor();
    await page.getByText('Not published.').waitFor();
    expect((await studies.read(study.id)).published).toBe(false);
    await page.getByRole('link', { name: 'Studies', exact: true }).first().click();
    await page.getByText('No study is published').waitFor();
    await page.getByRole('checkbox', { name: 'Show unpublished' }).check();
    await page.getByRole('link', { name: 'Harbour office' }).waitFor();

    // Publishing the environment again restores the same study.
    await page.goto(`${at}/environments/${elsewhere}`);
    await button('Publish as study').click();
    await button('Publish').click();
    await page.getByRole('link', { name: 'Go to study' }).click();
    await page.waitForURL(`**/studies/${study.id}`);
    expect(complaints).toEqual([]);
  });

  test('a run is shared by a link, which ends on a day, is replaced and stopped', async () => {
    const suiteId = await studies.evals.suite({
      serverIds: [server],
      tests: [promptCase('Greets', 'Hello')],
    });
    const runId = await studies.evals.launch({ suiteId });
    await studies.evals.decided(runId);
    const path = `${studies.project}/shares/evalRun/${runId}`;
    const stored = async () => ok(await service.get(path));
    const { page, complaints, at, button, dialog } = await opened();
    await page.goto(`${at}/runs/${runId}`);
    await button('Share').click();
    await dialog.getByText('no conversations or tool calls').waitFor();
    const shared = page.getByRole('checkbox', { name: 'Anyone with the link can view this run' });
    await shared.click();
    await page.getByText('Run shared', { exact: true }).waitFor();
    await button('Copy link').click();
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(await stored()).toMatchObject({ shared: true, link: { url: link }, expiresAt: null });
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByLabel('Expires after').fill('2099-12-31');
    await button('Save').click();
    await page.getByText('Shared until 31 Dec 2099').waitFor();
    expect((await stored()).expiresAt).toBe(Date.parse('2099-12-31T23:59:59Z'));

    // A concurrent change is not overwritten, and the dialog shows the current state.
    ok(await service.request('PATCH', path, { body: { expiresAt: null } }));
    await button('New link').click();
    await dialog.getByText('The sharing settings have changed').waitFor();
    expect((await stored()).link.url).toBe(link);
    await dialog.getByText('If empty, the link works until you stop sharing.').waitFor();
    await button('New link').click();
    await page.getByText('Link replaced').waitFor();
    expect((await stored()).link.url).not.toBe(link);
    await shared.click();
    await page.getByText('Sharing stopped', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ shared: false, link: null });
    expect(await dialog.getByRole('button', { name: 'Copy link' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('what went wrong is counted, explained when somebody asks, and dismissed', async () => {
    const environmentId = await studies.environment([server]);
    const { id, link } = await studies.publish(environmentId);
    const { page, complaints, at, button, tab } = await opened();
    await page.goto(`${at}/studies/${id}`);
    await page.getByText('No sessions yet.').waitFor();
    await page.getByText('No journeys have run in this environment').waitFor();
    await page.getByText('No usage yet.').waitFor();
    await tab('Findings').click();
    await page.getByText('Not analyzed yet').waitFor();

    // The page updates by itself when a signal is counted.
    const guest = new Visitor(service);
    ok(await guest.enter(link));
    const { last } = await guest.say('Which ships are there?');
    ok(await guest.request('PUT', `/visit/sessions/${last.sessionId}/feedback`, { rating: -1 }));
    const signal = page.getByRole('list', { name: 'Signals' }).getByText('Negative ratings');
    await signal.waitFor();
    await page.getByRole('link', { name: 'session 1' }).first().click();
    await page.getByRole('list', { name: 'Transcript' }).getByText('Which ships are there?').waitFor();
    await page.goBack();

    // A running analysis can be stopped, and nothing of it is saved then.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    provider.script = () => ({ text: 'No JSON', after: held });
    onTestFinished(release);
    await button('Find causes and fixes').click();
    await page.getByText('running', { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button('Stop').click();
    await page.getByText('Summarizes the findings').waitFor();
    release();
    await button('Find causes and fixes').click();
    const found = page.getByRole('list', { name: 'Findings' });
    await found.getByText('Negative ratings').waitFor();
    await button('Run again').waitFor();

    const name = /^Dismiss: Negative ratings/;
    await page.getByRole('button', { name }).click();
    await page.getByText('All findings are dismissed.').waitFor();
    const [finding] = (await studies.read(id, '/findings')).items;
    expect(finding).toMatchObject({ status: 'new', dismissedAt: expect.any(Number) });
    await page.getByRole('checkbox', { name: 'Show 1 dismissed finding' }).check();
    await page.getByRole('button', { name: /^Restore/ }).click();
    await page.getByRole('button', { name }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await tab('Overview').click();
    const people = page.getByRole('region', { name: 'People' });
    await people.getByRole('img', { name: 'People: sessions by day' }).waitFor();
    await people.getByRole('img', { name: 'People: thumbs down by day' }).waitFor();
    const tools = page.getByRole('table', { name: 'Tool calls' });
    await tools.getByRole('row', { name: /list_ships/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('names without an end, and turned around, leave every action in reach; all of it by keyboard', {
    tags: ['long'],
  }, async () => {
    const environmentId = await studies.environment([server]);
    const { id, link } = await studies.publish(environmentId, {
      name: unbroken,
      description: `<img src=x onerror=document.title=1>${mixed} ${unbroken}`,
      mode: 'anyone_with_link',
    });
    const visitor = new Visitor(service);
    ok(await visitor.enter(link, { displayName: unbroken }));
    const { last } = await visitor.say(`${mixed} ${unbroken}`);
    const long = `${'l'.repeat(60)}@example.com`;
    ok(await studies.put(`/studies/${id}/members`, { email: long }));
    const { page, complaints, at, button } = await opened();
    const found: string[] = [];
    const study = `${at}/studies/${id}`;
    for (const [address, there] of [
      [`${at}/studies`, 'table'],
      [`${at}/studies?publish=true`, '[role=dialog] h3'],
      [study, 'text=Save guest settings'],
      [`${study}?tab=members`, 'table'],
      [`${study}?tab=sessions`, 'table'],
      [`${study}/sessions/${last.sessionId}`, 'text=was called'],
    ] as const) {
      await page.goto(address);
      await page.locator(there).first().waitFor();
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const wrong = await page.evaluate<string[]>(misplaced);
        found.push(...wrong.map((one) => `${address} ${width}: ${one}`));
      }
    }
    expect(found).toEqual([]);

    // With the keyboard alone: change the access and return to the focused button.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(study);
    await button('Change access').waitFor();
    await tabTo(page, /^button: Change access/);
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: /^Anyone with the link/, checked: true }).waitFor();
    await tabTo(page, /^input: Anyone with the link/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.getByText('lose access immediately').waitFor();
    await tabTo(page, /^button: Restrict access/);
    await page.keyboard.press('Enter');
    await page.getByText('Access changed: project members').waitFor();
    await expect.poll(async () => (await focusOf(page)).words).toBe('button: Change access');
    expect((await studies.read(id)).mode).toBe('project_members');
    expect(complaints).toEqual([]);
  });

  test('a plain member reads, and is told who publishes; where studies are off their pages say so', async () => {
    const environmentId = await studies.environment([server]);
    const { id } = await studies.publish(environmentId, { name: 'Read by all' });
    const { page, complaints, at, button } = await opened('member');
    await page.goto(`${at}/studies/${id}`);
    await button('Save guest settings').waitFor();
    await expect.poll(() => button('Save guest settings').isDisabled()).toBe(true);
    expect(await button('Unpublish').isDisabled()).toBe(true);
    expect(await button('Change access').isDisabled()).toBe(false);
    await page.goto(`${at}/studies`);
    await page.getByRole('link', { name: 'Read by all' }).waitFor();
    await expect.poll(() => button('Publish environment').isDisabled()).toBe(true);

    const feature = { organization: undefined, feature: 'user-testing' };
    await setFeature(service.db, { ...feature, enabled: false });
    onTestFinished(() => setFeature(service.db, { ...feature, enabled: true }));
    for (const address of ['/studies', `/studies/${id}`, `/studies/${id}/sessions/chat_1`]) {
      await page.goto(`${at}${address}`);
      await page.getByText('drydock features enable user-testing').waitFor();
      expect(await page.getByRole('link', { name: 'Studies', exact: true }).count()).toBe(0);
    }
    await page.goto(`${at}/environments/${environmentId}`);
    await page.getByText('Resolved configuration').waitFor();
    await expect.poll(() => button('Publish as study').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  /** Opens the console as a new member in a new session, with access to the clipboard. */
  async function opened(role: 'admin' | 'member' = 'admin') {
    const { userId } = await service.member(role);
    await givePassword(service, userId);
    const session = await newSession(service, userId);
    const visited = await visit(browser, { baseUrl: service.origin, session });
    const { page } = visited;
    onTestFinished(() => page.context().close());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    return {
      ...visited,
      at: `/console${studies.project}`,
      button: (name: string) => page.getByRole('button', { name, exact: true }),
      dialog: page.getByRole('dialog'),
      tab: (name: string) =>
        page.getByRole('navigation', { name: 'About this study' }).getByRole('link', { name }),
    };
  }
});
