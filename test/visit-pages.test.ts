// @module-tag long
import { mkdir } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { seriousFindings } from './support/access.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { executing, promptCase } from './support/evals.ts';
import { mailSettings } from './support/mail.ts';
import { newSession } from './support/people.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { ok, Studies } from './support/studies.ts';
import { startSmtpServer } from './targets/smtp-server.ts';

let provider: ScriptedProvider;
let service: TestService;
let studies: Studies;
let harbour: string;
let widgets: string;

executing(async (parts) => {
  ({ provider, service } = parts);
  studies = await Studies.of(service);
  harbour = await studies.evals.server({ name: 'harbour' });
  widgets = await studies.evals.server({ name: 'widgets', url: await service.widgetUrl() });
});
beforeEach(() => {
  provider.script = () => ({ text: 'Three ships are in the drydock.' });
});

const lists = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
const deadLink = 'This link is not valid. Ask the person who sent it for a new one.';
const outWords = 'You no longer have access. Ask the person who sent you the link.';

test('the frame of a widget has no origin, and reaches what was declared', async () => {
  const policyFor = async (query: string) => {
    const response = await fetch(`${service.origin}/visit/frame${query}`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('set-cookie')).toBeNull();
    return response.headers.get('content-security-policy')?.split('; ');
  };
  const csp = { connectDomains: ['https://example.com', "https://x'; script-src *"] };
  const declared = await policyFor(`?csp=${encodeURIComponent(JSON.stringify(csp))}`);
  const always = ['sandbox allow-scripts allow-forms', "default-src 'none'", "frame-ancestors 'self'"];
  expect(declared).toEqual(expect.arrayContaining([...always, 'connect-src https://example.com']));
  for (const query of ['', '?csp={', '?csp=7&csp=8', '?csp=%22*%22'])
    expect(await policyFor(query)).toEqual([
      'sandbox allow-scripts allow-forms',
      "default-src 'none'",
      "script-src 'unsafe-inline'",
      "style-src 'unsafe-inline'",
      'img-src data: blob:',
      'font-src data:',
      'media-src data: blob:',
      'worker-src blob:',
      "connect-src 'none'",
      "frame-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "object-src 'none'",
      "frame-ancestors 'self'",
    ]);
});

describe('in a browser', { tags: ['chromium'] }, () => {
  test('a guest chats, says how it went, and finds it again', async () => {
    provider.script = lists;
    const { id, link } = await fresh({
      name: 'Harbour desk',
      description: 'Ask about ships.',
      mode: 'anyone_with_link',
    });
    const { page, complaints } = await arrive(await startBrowser(), link);
    await page.getByRole('heading', { name: 'Harbour desk' }).waitFor();
    await page.getByText('are recorded for the people who run this study').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await look(page, 'door');
    await page.getByRole('button', { name: 'Start' }).click();
    await say(page, 'Which ships are there?');
    const conversation = page.getByRole('list', { name: 'Conversation' });
    await conversation.getByText('Albatross, Bittern and Cormorant.').waitFor();
    const call = conversation.locator('details', { hasText: 'list_ships' });
    await call.getByText('done').waitFor();
    await call.locator('summary').click();
    await page.getByLabel('Result of list_ships', { exact: true }).getByText('Cormorant').waitFor();

    await page.getByRole('button', { name: 'It did not go well' }).click();
    await page.getByText('Thank you. You can change your answer.').waitFor();
    await page.getByLabel('Anything you would like to add?').fill('Too slow');
    await page.getByRole('button', { name: 'Save comment' }).click();
    await page.getByText('Thank you. You can change your answer.').waitFor();
    await page.getByRole('button', { name: 'It went well', exact: true }).click();
    const feedback = { rating: 1, comment: 'Too slow' };
    await expect.poll(() => feedbackOf(id)).toMatchObject(feedback);
    expect(await seriousFindings(page)).toEqual([]);
    await look(page, 'chat');

    await page.reload();
    await conversation.getByText('Albatross, Bittern and Cormorant.').waitFor();
    await expect
      .poll(() =>
        page.getByRole('button', { name: 'It went well', exact: true }).getAttribute('aria-pressed'),
      )
      .toBe('true');
    await page.getByRole('button', { name: 'New conversation' }).click();
    provider.script = () => ({ text: '<img src=x onerror="document.title=1">\nTwo lines.' });
    await say(page, 'Something else');
    await conversation.getByText('<img src=x onerror="document.title=1">').waitFor();
    expect(await conversation.getByText('Albatross').count()).toBe(0);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await look(page, 'earlier');
    await page.getByRole('navigation').getByText('Which ships are there?').click();
    await conversation.getByText('Albatross, Bittern and Cormorant.').waitFor();
    expect(await page.title()).toBe('Harbour desk');

    // The study uses another environment now.
    const environmentId = await studies.environment([harbour]);
    ok(await service.post(`${studies.project}/studies/${id}/rebind`, { environmentId }));
    await say(page, 'And now?');
    await page.getByText('This conversation is closed.').waitFor();
    await page.reload();
    await page.getByText('This study has changed.').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).last().click();
    await say(page, 'A new beginning');
    await conversation.getByText('Two lines.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a tool is called when the visitor allows it, and a turn is stopped and tried again', async () => {
    provider.script = lists;
    const { link } = await fresh(undefined, [harbour], { requireToolApproval: true });
    const { page, complaints } = await enterAs(await startBrowser(), link);
    const conversation = page.getByRole('list', { name: 'Conversation' });
    const question = page.getByRole('region', { name: 'Allow list_ships?' });
    await say(page, 'Which ships?');
    await question.getByText(/^1\d\d s left$/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await look(page, 'question');
    await question.getByRole('button', { name: 'Allow', exact: true }).click();
    await conversation.getByText('done').waitFor();
    await conversation.getByText('Albatross, Bittern').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await say(page, 'And now?');
    await question.getByRole('button', { name: 'Deny' }).click();
    await conversation.getByText('not allowed').waitFor();
    await conversation.getByText('Albatross, Bittern').waitFor();
    expect(await conversation.getByText('done').count()).toBe(0);

    provider.script = () => ({ silent: true });
    const asked = provider.requests.length;
    await say(page, 'Third');
    await expect.poll(() => provider.requests.length).toBe(asked + 1);
    await page.getByRole('button', { name: 'Stop' }).click();
    await conversation.getByText('Stopped. Nothing was saved.').waitFor();
    await expect.poll(() => provider.active.now).toBe(0);
    provider.script = () => ({ status: 400, text: 'no' });
    await conversation.getByRole('button', { name: 'Try again' }).click();
    await conversation.getByText('This study is unavailable right now.').waitFor();
    await look(page, 'failed');
    provider.script = () => ({ text: 'Now it works.' });
    await conversation.getByRole('button', { name: 'Try again' }).click();
    await conversation.getByText('Now it works.').waitFor();
    expect(await conversation.getByText('Third').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('the interface of a tool is shown, and asks its server for what the visitor allows', async () => {
    provider.script = callThenAnswer({ name: 'counter', input: { ship: 'Albatross' } }, 'There it is.');
    const { link } = await fresh(undefined, [widgets], { requireToolApproval: true });
    const { page, complaints } = await enterAs(await startBrowser(), link);
    await say(page, 'Show the ship');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const inside = widgetOf(page, 'counter');
    await inside.getByText('Albatross seaworthy').waitFor();
    await inside.getByRole('button', { name: 'Look up' }).click();
    const question = page.getByRole('region', { name: 'Allow look_up?' });
    await question.getByRole('button', { name: 'Deny' }).click();
    await inside.getByText('refused: The viewer did not allow it').waitFor();
    await inside.getByRole('button', { name: 'Look up' }).click();
    await look(page, 'widget');
    await question.getByRole('button', { name: 'Allow', exact: true }).click();
    await inside.getByText('look_up {"port":"Bremen"}').waitFor();

    await page.reload();
    await page.getByRole('button', { name: 'Open widget' }).click();
    await inside.getByText('Albatross seaworthy').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a widget that means no good reaches nothing', async () => {
    const input = { service: service.origin };
    provider.script = callThenAnswer({ name: 'trespasses', input }, 'Harmless, surely.');
    const { link } = await fresh(undefined, [widgets]);
    const { userId } = await service.member('owner');
    const session = await newSession(service, userId);
    const { page } = await arrive(await startBrowser(), link, session);
    await page.getByRole('button', { name: 'Start' }).click();
    const reached: string[] = [];
    page.on('response', (response) => {
      const frame = response.frame();
      // This request would show that the page accepted a message from outside the widget's frame.
      if (response.url().endsWith('/widget-requests')) reached.push('its server');
      if (frame !== page.mainFrame() && frame.parentFrame() !== page.mainFrame())
        reached.push(response.url());
    });
    await say(page, 'Show it');
    const inside = widgetOf(page, 'trespasses');
    const question = page.getByRole('region', { name: 'Open a link?' });
    await question.getByText('http://127.0.0.1:1/elsewhere').waitFor();
    await look(page, 'link');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await inside.getByText('end true').waitFor();
    expect(await inside.locator('#state').textContent()).toBe(
      'no parent, no top, no storage of top, no storage, no cookie, no fetch, no opaque fetch, no picture, no window, no leaving, no link, no script link, end true',
    );
    expect((await page.locator('iframe').boundingBox())?.height).toBe(1_200);
    await inside.getByRole('button', { name: 'Leave' }).click();
    await expect.poll(() => page.frames().map((frame) => frame.url())).not.toContain('about:srcdoc');
    expect(new URL(page.url()).pathname).toBe('/visit');
    expect(reached).toEqual([]);
    // The page still works.
    provider.script = () => ({ text: 'Still here.' });
    await say(page, 'Hello?');
    await page.getByText('Still here.').waitFor();
  });

  test('who is in stays with a new link, and is out by themselves when access ends', async () => {
    const browser = await startBrowser();
    const { id, link, environmentId } = await fresh();
    const study = `${studies.project}/studies/${id}`;
    const guest = await enterAs(browser, link);
    await say(guest.page, 'Hello');
    await guest.page.getByText('Three ships are in the drydock.').waitFor();
    const rotated = ok(await service.post(`${study}/rotate-link`));
    await say(guest.page, 'Still?');
    await expect.poll(() => guest.page.getByText('Three ships are in the drydock.').count()).toBe(2);
    const late = await arrive(browser, link);
    await late.page.getByText(deadLink).waitFor();
    await look(late.page, 'dead');

    ok(await service.patch(study, { mode: 'invited_only' }));
    await guest.page.getByText(outWords).waitFor();
    expect(await guest.page.getByRole('textbox').count()).toBe(0);
    expect(await guest.page.evaluate('Object.keys(localStorage)')).toEqual([]);
    const stranger = await arrive(browser, rotated.link);
    await stranger.page.getByText('Open the link in your invitation').waitFor();
    await look(stranger.page, 'invitation');

    // Removing one member does not affect the others.
    const invite = async (email: string) =>
      ok(await studies.put(`/studies/${id}/members`, { email })).entryUrl;
    const ada = await enterAs(browser, await invite('ada@example.com'));
    const bob = await enterAs(browser, await invite('bob@example.com'));
    await say(bob.page, 'Hello');
    await bob.page.getByText('Three ships are in the drydock.').waitFor();
    ok(await service.delete(`${study}/members/ada@example.com`));
    await ada.page.getByText(outWords).waitFor();
    await say(bob.page, 'Am I in?');
    await expect.poll(() => bob.page.getByText('Three ships are in the drydock.').count()).toBe(2);
    ok(await service.delete(`${studies.project}/environments/${environmentId}/study`));
    await bob.page.getByText(outWords).waitFor();
    expect([guest, late, stranger, ada, bob].flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  test('an address that is invited gets its way in by mail', async () => {
    const smtp = await startSmtpServer();
    onTestFinished(() => smtp.stop());
    const env = { ...(await mailSettings(smtp.url)), DRYDOCK_MAIL_FROM: 'harbour@example.com' };
    const mailing = await startTestService({ worker: false, env });
    onTestFinished(() => dispose(mailing));
    const there = await Studies.of(mailing);
    const { id, link } = await there.publish(await there.environment([await there.evals.server()]), {
      mode: 'invited_only',
    });
    ok(await there.put(`/studies/${id}/members`, { email: 'ada@example.com' }));
    const browser = await startBrowser();
    const { page, complaints } = await arrive(browser, link);
    await look(page, 'mail');
    await page.getByLabel('Email').fill('Ada@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If this address is invited, we have sent').waitFor();
    await expect.poll(() => smtp.mails.length).toBe(1);
    // Mail wraps long lines.
    const mail = smtp.mails[0]?.raw.replaceAll('=\n', '') ?? '';
    const address = /http\S+\/visit#t\.[\w-]+/.exec(mail)?.[0] as string;
    const ada = await enterAs(browser, address);
    await ada.page.getByRole('button', { name: 'New conversation' }).waitFor();
    // The link works once. Only this browser keeps its session.
    await ada.page.reload();
    await ada.page.getByRole('button', { name: 'New conversation' }).waitFor();
    const other = await enterAs(browser, address);
    await other.page.getByText(deadLink).waitFor();
    expect([...complaints, ...ada.complaints, ...other.complaints]).toEqual([]);
  });

  test('a study for members of the project lets in who has signed in meanwhile', async () => {
    const { link } = await fresh({ mode: 'project_members' });
    const { page, complaints } = await arrive(await startBrowser(), link);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await look(page, 'sign-in');
    const { userId } = await service.member('member');
    const value = await newSession(service, userId);
    await page.context().addCookies([{ name: 'drydock_session', value, url: service.origin }]);
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a shared run says how it went, as long as it is shared', async () => {
    const browser = await startBrowser();
    const says = (value: string) => ({ type: 'responseContains', needle: value });
    const suiteId = await studies.evals.suite({
      name: 'Harbour suite',
      serverIds: [harbour],
      repetitions: 2,
      passThreshold: 1,
      tests: [
        promptCase('Counts the ships', 'How many?', says('Three')),
        promptCase('Names the captain', 'Who?', says('Ahab')),
      ],
    });
    const runId = await studies.evals.launch({ suiteId });
    await studies.evals.decided(runId);
    const path = `${studies.project}/shares/evalRun/${runId}`;
    const expiresAt = Date.UTC(2100, 0, 1);
    const { link } = ok(await service.patch(path, { shared: true, expiresAt }));
    const { page, complaints } = await arrive(browser, link.url);
    await page.getByRole('heading', { name: 'Harbour suite' }).waitFor();
    await page.getByText('2 of 4 trials passed').waitFor();
    const table = page.getByRole('table', { name: 'Cases' });
    expect(await table.getByRole('row', { name: /Names the captain/ }).textContent()).toContain('0 of 2');
    await page.getByText(/Read-only, until 1 Jan 2100/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await look(page, 'shared');
    ok(await service.patch(path, { shared: false }));
    await page.reload();
    await page.getByText(deadLink).waitFor();
    expect(complaints).toEqual([]);
  });
});

/** A new study, so that tests do not share one. */
async function fresh(body: object = { mode: 'anyone_with_link' }, servers = [harbour], config: object = {}) {
  const environmentId = await studies.environment(servers, config);
  return { environmentId, ...(await studies.publish(environmentId, body)) };
}

/** Opens a link in a context without any stored data. */
async function arrive(browser: Browser, link: string, session?: string) {
  const size = { viewport: { width: 1280, height: 800 } };
  const visited = await visit(
    browser,
    { baseUrl: service.origin, ...(session !== undefined && { session }) },
    size,
  );
  await visited.page.goto(link);
  return visited;
}

async function enterAs(browser: Browser, link: string) {
  const visited = await arrive(browser, link);
  await visited.page.getByRole('button', { name: 'Start' }).click();
  return visited;
}

async function say(page: Page, message: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill(message);
  // The form sends nothing until the previous answer has ended.
  await page.locator('button[type=submit]:enabled', { hasText: 'Send' }).waitFor();
  await field.press('Enter');
}

function widgetOf(page: Page, tool: string) {
  return page.frameLocator(`iframe[title="Widget of ${tool}"]`).frameLocator('iframe');
}

async function feedbackOf(studyId: string): Promise<object> {
  const [row] = (await studies.read(studyId, '/sessions')).items;
  return row.feedback;
}

/** Saves screenshots for desktop and phone in both themes, if the variable names a folder. */
async function look(page: Page, name: string): Promise<void> {
  const folder = process.env['DRYDOCK_CONSOLE_SHOTS'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const [width, height] of [
    [390, 844],
    [1280, 800],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
}
