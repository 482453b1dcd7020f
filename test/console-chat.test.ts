// @module-tag long
import type { Browser, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { createClient, type Input } from '../src/surfaces/client/index.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { type Evals, executing, scriptedModel } from './support/evals.ts';
import { givePassword, newSession } from './support/people.ts';
import type { Reply, ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;

executing(async (parts) => {
  ({ provider, service, evals } = parts);
  server = await evals.server({ name: 'harbour' });
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.script = () => ({ text: 'Three ships.' });
});

describe('in a browser', { tags: ['chromium'] }, () => {
  test('a chat is started, watched, stopped, continued, read again and found', async () => {
    const { page, complaints, at } = await opened(await startBrowser(), 'member');
    const holding = held();
    provider.script = ({ results }) =>
      results === 0 ? lookAtShips : holding.reply('Albatross and Bittern.');
    await page.goto(at);
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('link', { name: 'Start chat' }).click();
    await expect.poll(() => page.getByLabel('Model').inputValue()).toBe(scriptedModel);
    await page.getByText('Tools without that declaration are excluded.').waitFor();
    await say(page, 'Which ships are there?');

    // The call and the first word are shown before the rest is written.
    const conversation = page.getByRole('list', { name: 'Conversation' });
    await conversation.getByText('Albatross', { exact: true }).waitFor();
    await page.waitForURL(/\/sessions\/chat_/);
    const call = conversation.locator('details', { hasText: 'list_ships' });
    expect(await call.textContent()).toMatch(/answered\d+ ms/);
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    holding.release();
    await conversation.getByText('Albatross and Bittern.').waitFor();
    await conversation.getByText('200 tokens in, 40 out').waitFor();
    await call.locator('summary').click();
    expect(await page.getByLabel('result of list_ships', { exact: true }).textContent()).toContain(
      'Cormorant',
    );

    // Stopping ends the turn at the provider too. The next turn has settings of its own.
    provider.script = () => ({ silent: true });
    await say(page, 'And who is longest?');
    await expect.poll(() => provider.requests.length).toBe(3);
    await page.getByRole('button', { name: 'Stop' }).click();
    await conversation.getByText('Stopped. This turn was not saved').waitFor();
    provider.script = () => ({ text: 'The Cormorant.' });
    await page.getByText('Turn options').click();
    await page.getByLabel('Maximum tool calls').selectOption('0');
    await say(page, 'Without tools: who is longest?');
    await conversation.getByText('The Cormorant.').waitFor();
    const last = provider.requests.at(-1)?.body;
    expect(last.tools).toBeUndefined();
    expect(last.messages.map(({ role }: { role: string }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant'],
      'user',
    ]);
    await page.getByText('Turn options', { exact: true }).waitFor();

    await page.reload();
    await conversation.getByText('The Cormorant.').waitFor();
    await conversation.getByText('The caller hung up').waitFor();
    expect(await conversation.getByRole('heading', { name: 'You' }).count()).toBe(2);
    await conversation.getByRole('button', { name: 'Timeline' }).first().click();
    await page.getByRole('button', { name: /^list_ships, tool/ }).click();
    await page.locator('[aria-current="true"]', { hasText: 'list_ships' }).waitFor();
    expect(new URL(page.url()).searchParams.get('span')).toMatch(/^tool-/);

    await page.getByRole('link', { name: 'Chat', exact: true }).first().click();
    await page.getByRole('table', { name: 'Chats' }).getByText('Which ships are there?').waitFor();
    await page.getByLabel('Search terms').fill('bittern');
    await page.getByText('No results').waitFor();
    await page.getByLabel('Search in').selectOption('transcripts');
    await page.getByRole('table', { name: 'Chats' }).getByText('Which ships are there?').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a lost connection, a turn that fails and one that holds another up say so, and lead on', async () => {
    const { page, complaints, at, key } = await opened(await startBrowser(), 'member');
    const conversation = page.getByRole('list', { name: 'Conversation' });
    await page.goto(`${at}/sessions/new`);
    await page.getByLabel('Model').waitFor();

    // The model refuses: nothing is stored, and the message is sent again under a new key.
    provider.script = () => ({ status: 400, text: 'no' });
    await say(page, 'First');
    await page.getByRole('alert').getByText('The model request failed').waitFor();
    await page.getByText('Nothing was saved. Send it again').waitFor();
    provider.script = () => ({ text: 'Now.' });
    await page.getByRole('button', { name: 'Send again' }).click();
    await conversation.getByText('Now.').waitFor();
    const sessionId = new URL(page.url()).pathname.split('/').at(-1);

    // The turn completes, but its answer is lost on the way.
    await page.route('**/messages/events', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await say(page, 'Second');
    await page.getByText('trying again runs nothing twice.').waitFor();
    await page.unroute('**/messages/events');
    const asked = provider.requests.length;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This message was received before the connection was lost.').waitFor();
    expect(provider.requests).toHaveLength(asked);
    await conversation.getByText('Second').waitFor();

    // A message waits until another client's turn has ended.
    const holding = held();
    provider.script = () => holding.reply('Elsewhere, slowly.');
    const elsewhere = replyTo({ idempotencyKey: 'elsewhere', sessionId, message: 'Third' }, key);
    await expect.poll(() => provider.requests.length).toBe(asked + 1);
    await say(page, 'Fourth');
    await conversation.getByText('Another turn of this chat is running.').waitFor();
    provider.script = () => ({ text: 'Here.' });
    holding.release();
    await conversation.getByText('Here.').waitFor();
    await conversation.getByText('Elsewhere, slowly.').waitFor();
    expect(await elsewhere).toBe('Elsewhere, slowly.');
    expect(complaints).toEqual([]);
  });

  test('nobody sees the chats of somebody else, and what models say stays text', async () => {
    const browser = await startBrowser();
    const [ada, boss] = [await opened(browser, 'member'), await opened(browser, 'owner')];
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>[a](javascript:x)';
    provider.script = () => ({ text: evil });
    const { body } = await service.post(
      '/chat-sessions/messages',
      {
        idempotencyKey: 'hers',
        projectId: evals.project.slice('/projects/'.length),
        modelId: scriptedModel,
        serverIds: [server],
        message: 'Hers alone',
      },
      { key: ada.key },
    );
    await ada.page.goto(`${ada.at}/sessions/${body.sessionId}`);
    await ada.page.getByText(evil).waitFor();
    expect(await ada.page.title()).toBe('Hers alone · Drydock');
    await boss.page.goto(`${boss.at}/sessions`);
    await boss.page.getByText('No chats yet').waitFor();
    await boss.page.goto(`${boss.at}/sessions/${body.sessionId}`);
    await boss.page.getByText('No such chat session').waitFor();
    expect([...ada.complaints, ...boss.complaints]).toEqual([]);
  });
});

const lookAtShips: Reply = { toolCalls: [{ name: 'list_ships', input: {} }] };

/** A reply whose first word is sent at once, and the rest on release. */
function held() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    release: () => release(),
    reply: (text: string): Reply => ({ text, pace: (event) => (event === 1 ? released : undefined) }),
  };
}

/** Sends a message, reads the event stream and returns the final reply. */
async function replyTo(body: Input<'streamChatMessage'>['body'], key: string): Promise<string | undefined> {
  const client = createClient({ baseUrl: service.running.baseUrl, apiKey: key });
  for await (const event of client.streamChatMessage({ body }))
    if (event.type === 'turn.ended') return event.turn.reply;
  return undefined;
}

async function say(page: Page, message: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill(message);
  await field.press('Enter');
}

/** Opens the console as a new member of the organization in a new session. */
async function opened(browser: Browser, role: 'owner' | 'member') {
  const { userId, key } = await service.member(role);
  await givePassword(service, userId);
  const visited = await visit(browser, {
    baseUrl: service.origin,
    session: await newSession(service, userId),
  });
  return { ...visited, key, at: `/console${evals.project}` };
}
