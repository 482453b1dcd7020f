// @module-tag long
import { describe, expect, test } from 'vitest';
import { browserTests } from './support/browser-sessions.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { givePassword, newSession } from './support/people.ts';

const t = browserTests();

describe('in a browser', { tags: ['chromium'] }, () => {
  test('the browser of a chat is opened beside it, shows a page, does what it is told and is closed', async () => {
    const { service, projectId, harbour } = t;
    const { userId, key } = await service.member('member');
    await givePassword(service, userId);
    const { body: chat } = await service.post(
      '/chat-sessions/messages',
      { idempotencyKey: 'first', projectId, modelId: 'drydock/rehearsal', message: 'Good morning' },
      { key },
    );
    const session = await newSession(service, userId);
    const { page, complaints } = await visit(await startBrowser(), { baseUrl: service.origin, session });
    await page.goto(`/console/projects/${projectId}/sessions/${chat.sessionId}`);
    await page.getByRole('button', { name: 'Browser', exact: true }).click();
    const pane = page.getByRole('complementary', { name: 'Browser' });
    await pane.getByText('No browser open.').waitFor();

    // Only one origin is allowed.
    await pane.getByLabel('Permissions').selectOption('allowlist');
    await pane.getByRole('textbox', { name: /^Addresses/ }).fill(harbour.web.origin);
    await pane.getByRole('button', { name: 'Open browser' }).click();
    await pane.getByText('open', { exact: true }).waitFor();
    await pane.getByLabel('Address', { exact: true }).fill(harbour.url('/form'));
    await pane.getByRole('button', { name: 'Go' }).click();
    const picture = pane.getByRole('img', { name: 'Screenshot of the page' });
    await picture.waitFor();
    const width = () =>
      picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(width).toBeGreaterThan(300);

    await pane.getByLabel('Inspect').selectOption('a11y');
    await pane.getByRole('button', { name: 'Inspect' }).click();
    await pane.getByLabel('observation', { exact: true }).getByText('Three ships').waitFor();
    await pane.getByText('Page action').click();
    await pane.getByRole('textbox', { name: /^Target/ }).fill('#save');
    await pane.getByRole('button', { name: 'Run' }).click();
    await expect.poll(() => harbour.asked('/saved')).toBe(1);

    await pane.getByLabel('Address', { exact: true }).fill('http://127.0.0.2:8099/');
    await pane.getByRole('button', { name: 'Go' }).click();
    await pane.getByText('refused').first().waitFor();
    await pane.getByText('Activity (').click();
    await pane.getByRole('textbox', { name: 'Note' }).fill('Saved once.');
    await pane.getByRole('button', { name: 'Add note' }).click();
    await pane.getByText('Note: Saved once.').waitFor();

    // After a reload the page shows the browser again. Closing it shows the reason.
    await page.reload();
    await picture.waitFor();
    await pane.getByRole('button', { name: 'Close browser' }).click();
    await pane.getByText('Closed: ').waitFor();
    await pane.getByRole('button', { name: 'Open browser' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
