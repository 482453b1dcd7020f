// @module-tag long
// @module-tag chromium
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEngine } from '../../test/support/browser-engine.ts';
import { sessionPages } from '../../test/support/browser-pages.ts';
import { pages, serveWeb, type Web } from '../../test/support/web.ts';
import type { BrowserCommand, CommandResult, Observation } from './command.ts';
import type { BrowserEngine, OpenBrowser } from './engine.ts';
import type { BrowserSession } from './session.ts';

let engine: BrowserEngine;
let web: Web;
const atEnd: (() => unknown)[] = [];

beforeAll(async () => {
  engine = startEngine({}, (work) => void atEnd.push(work));
  web = await serveWeb(sessionPages, '127.0.0.1', (work) => void atEnd.push(work));
});
afterAll(async () => {
  for (const work of atEnd) await work();
});

async function open(wanted: Partial<OpenBrowser> = {}): Promise<BrowserSession> {
  const session = await engine.open({ policy: { mode: 'allow_all' }, ...wanted });
  onTestFinished(() => session.close());
  return session;
}

/** Opens a session and navigates to a page. */
async function at(path: string, wanted: Partial<OpenBrowser> = {}): Promise<BrowserSession> {
  const session = await open(wanted);
  expect(await session.perform({ op: 'navigate', url: `${web.origin}${path}` })).toMatchObject({
    result: 'executed',
  });
  return session;
}

type Seen<Mode> = Mode extends 'a11y' | 'text' | 'dom'
  ? Extract<Observation, { truncated: boolean }>
  : Extract<Observation, { mode: Mode }>;

async function see<Mode extends Observation['mode']>(
  session: BrowserSession,
  mode: Mode,
  more: object = {},
): Promise<Seen<Mode>> {
  const { result, reason, observation } = await session.perform({ op: 'observe', mode, ...more });
  expect([result, reason]).toEqual(['executed', undefined]);
  return observation as Seen<Mode>;
}

const act = (
  session: BrowserSession,
  verb: Extract<BrowserCommand, { op: 'act' }>['verb'],
  more: Partial<Extract<BrowserCommand, { op: 'act' }>> = {},
): Promise<CommandResult> => session.perform({ op: 'act', verb, ...more });

describe('commands', () => {
  test('a form is filled in by ref, selector and coordinates', async () => {
    const session = await at('/form');
    const { text } = await see(session, 'a11y', { filter: 'interactive' });
    const ref = /textbox "Name" \[ref=(\w+)\]/.exec(text)?.[1] as string;
    await act(session, 'type', { target: { ref }, value: 'Mary Rose' });
    await act(session, 'select', { target: { selector: '#kind' }, value: 'Sloop' });
    expect(await act(session, 'click', { target: { selector: '#save' } })).toMatchObject({
      result: 'executed',
      title: 'Mary Rose s',
    });
    const titles: [Parameters<typeof act>[1], Parameters<typeof act>[2], string][] = [
      ['press', { value: 'F2' }, 'pressed'],
      ['hover', { target: { selector: '#hover' } }, 'hovered'],
      ['drag', { target: { selector: '#hover' }, value: '#drop' }, 'dropped'],
    ];
    for (const [verb, more, title] of titles)
      expect(await act(session, verb, more)).toMatchObject({ result: 'executed', title });
    await act(session, 'click', { target: { coordinates: [5, 5] } });
    await act(session, 'scroll', { target: { coordinates: [5, 5] } });
    await expect.poll(async () => (await see(session, 'url')).title).toBe('scrolled');
  });

  test('what cannot be done is refused and says why', async () => {
    const session = await at('/form');
    const { state } = await session.perform({ op: 'observe', mode: 'url' });
    const refused: [Partial<Extract<BrowserCommand, { op: 'act' }>>, string][] = [
      [{ verb: 'click' }, 'needs a target'],
      [{ verb: 'click', target: { selector: '#nothing' } }, 'No element matches'],
      [{ verb: 'click', target: { selector: 'button' } }, '2 elements match'],
      [{ verb: 'click', target: { selector: '<<' } }, 'is not a selector'],
      [{ verb: 'click', target: { ref: 'e99999' } }, 'no longer exists'],
      [{ verb: 'click', target: { ref: 'x >> y' } }, 'is not a ref'],
      [{ verb: 'click', target: { coordinates: [5000, 1] } }, 'is not on it'],
      [{ verb: 'type', target: { selector: '#save' }, value: 'x' }, ''],
      [{ verb: 'press', value: 'Nonsense' }, 'There is no key'],
      [{ verb: 'scroll', value: 'sideways' }, 'Scroll up'],
      [{ verb: 'accept_dialog' }, 'No dialog'],
      [{ verb: 'close_tab', value: 't77' }, 'There is no tab'],
      [{ verb: 'press', value: 'F2', expectedState: 'elsewhere' }, 'has changed'],
    ];
    for (const [command, reason] of refused)
      expect(await session.perform({ op: 'act', verb: 'click', ...command })).toMatchObject({
        result: 'refused',
        refusal: 'refused',
        reason: expect.stringContaining(reason),
      });
    expect(await act(session, 'press', { value: 'F2', expectedState: state })).toMatchObject({
      result: 'executed',
    });
    expect(await session.perform({ op: 'forward' })).toMatchObject({ result: 'refused' });
  });

  test('history, tabs and what is to be seen afterwards', async () => {
    const session = await at('/form');
    const next = await session.perform({ op: 'navigate', url: `${web.origin}/next`, observeAfter: 'a11y' });
    expect(next).toMatchObject({ title: 'Next', observation: { mode: 'a11y' } });
    expect(await session.perform({ op: 'back', observeAfter: 'screenshot' })).toMatchObject({
      title: 'Form',
      observation: { mode: 'screenshot', width: 1280, height: 720 },
    });
    expect(await session.perform({ op: 'forward' })).toMatchObject({ title: 'Next' });
    expect(await session.perform({ op: 'reload' })).toMatchObject({ title: 'Next', result: 'executed' });
    const other = await session.perform({ op: 'navigate', url: `${web.origin}/form`, newTab: true });
    expect(other.tabs.map(({ tabId, active }) => [tabId, active])).toEqual([
      ['t1', false],
      ['t2', true],
    ]);
    expect(await act(session, 'activate_tab', { value: 't1' })).toMatchObject({ title: 'Next' });
    expect((await act(session, 'close_tab', { value: 't1' })).tabs.map(({ tabId }) => tabId)).toEqual(['t2']);
    expect((await session.screenshot()).png.subarray(1, 4).toString()).toBe('PNG');
    expect((await session.snapshot()).text).toContain('heading "Ships"');
  });

  test('consoles, requests and errors are kept, with what the guard refused', async () => {
    const session = await at('/log');
    await expect.poll(async () => (await see(session, 'network')).refused.length).toBe(1);
    await expect
      .poll(async () => (await see(session, 'console')).entries.map(({ level, text }) => `${level}: ${text}`))
      .toEqual(expect.arrayContaining(['warning: careful', 'error: broken']));
    const { entries, refused } = await see(session, 'network');
    expect(refused).toMatchObject([
      { url: 'http://127.0.0.2:8099/no', reason: expect.stringContaining('loopback') },
    ]);
    const missing = entries.find(({ url }) => url.endsWith('/missing'));
    expect(missing).toMatchObject({ method: 'GET', kind: 'fetch', status: 404 });
    const one = await see(session, 'network', { requestId: missing?.requestId });
    expect(one.entries).toMatchObject([{ requestHeaders: { referer: `${web.origin}/log` } }]);
  });

  test('tools of a page and of its frames are listed, invoked and cancelled', async () => {
    const session = await at('/tools');
    await expect
      .poll(async () => (await see(session, 'page_tools')).tools.map(({ toolKey }) => toolKey))
      .toEqual(['add', 'fail', 'slow', 'frame1/inside']);
    const invoke = (toolKey: string, timeout = 10_000) =>
      session.perform({ op: 'invoke_page_tool', toolKey, input: { a: 2, b: 3 } }, { timeout });
    expect(await invoke('add')).toMatchObject({ result: 'executed', output: { output: 5 } });
    expect(await invoke('frame1/inside')).toMatchObject({ output: { output: 'from the frame' } });
    expect(await invoke('fail')).toMatchObject({ output: { error: 'Error: no such ship' } });
    expect(await invoke('nothing')).toMatchObject({ result: 'refused' });
    const { result, invocationId = '' } = await invoke('slow', 300);
    expect(result).toBe('unknown');
    expect(await session.perform({ op: 'cancel_page_tool', invocationId })).toMatchObject({
      result: 'executed',
    });
    await expect.poll(async () => (await see(session, 'url')).title).toBe('aborted');
    expect(await session.perform({ op: 'cancel_page_tool', invocationId })).toMatchObject({
      result: 'refused',
    });
  });

  test('a dialog waits for its answer, and for no other command', async () => {
    const session = await at('/dialogs');
    const asked = await act(session, 'click', { target: { selector: '#ask' } });
    expect(asked).toMatchObject({
      result: 'executed',
      dialog: { kind: 'confirm', message: 'Sure?', outcome: 'open' },
    });
    await act(session, 'accept_dialog');
    expect((await see(session, 'url')).title).toBe('asked true');
    await act(session, 'click', { target: { selector: '#prompt' } });
    await act(session, 'accept_dialog', { value: 'Grace' });
    expect((await see(session, 'url')).title).toBe('named Grace');
    await act(session, 'click', { target: { selector: '#ask' } });
    expect((await see(session, 'url')).title).toBe('asked false');
    expect(await session.perform({ op: 'navigate', url: `${web.origin}/next` })).toMatchObject({
      title: 'Next',
    });
    expect((await see(session, 'dialog')).dialogs.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'confirm accepted',
      'prompt accepted',
      'confirm dismissed',
      'beforeunload accepted',
    ]);
  });
});

describe('where a session may go', () => {
  test('only http and https are shown, also in a new tab', async () => {
    const session = await open();
    const others = [
      'file:///etc/passwd',
      'chrome://version',
      'view-source:http://127.0.0.1/',
      'data:text/html,x',
      'javascript:alert(1)',
      'about:blank',
      'nonsense',
      'http://user:word@127.0.0.1/',
    ];
    for (const url of others)
      for (const newTab of [false, true]) {
        const { result, tabs } = await session.perform({ op: 'navigate', url, newTab });
        expect([url, result, tabs.length]).toEqual([url, 'refused', 1]);
      }
  });

  test('a page opens no such addresses itself', async () => {
    const session = await at('/schemes');
    await expect
      .poll(async () => (await session.perform({ op: 'observe', mode: 'url' })).tabs.map(({ url }) => url))
      .not.toContainEqual(expect.stringMatching(/^(?:file|chrome|view-source|data):/));
  });

  test('a redirect to an address that is not allowed ends there, with the reason', async () => {
    const session = await open();
    expect(await session.perform({ op: 'navigate', url: `${web.origin}/away` })).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('127.0.0.2 is a loopback address'),
    });
    expect(session.refusals).toMatchObject([{ url: 'http://127.0.0.2:8099/x' }]);
  });

  test('a page that did not come is refused only where nobody was asked for it', async () => {
    const session = await open();
    let end = async (): Promise<void> => {};
    const gone = await serveWeb(
      () => {},
      '127.0.0.1',
      (close) => void (end = close),
    );
    await end();
    expect(await session.perform({ op: 'navigate', url: gone.origin })).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('cannot be reached: ECONNREFUSED'),
    });
    const rude = await serveWeb((request) => void request.socket.destroy());
    expect(await session.perform({ op: 'navigate', url: rude.origin })).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('The request was sent'),
    });
    expect(await session.perform({ op: 'navigate', url: `${web.origin}/form` })).toMatchObject({
      result: 'executed',
    });
  });

  test('a policy bounds commands before they run and origins on every request', async () => {
    const reader = await at('/form', { policy: { mode: 'read_only' } });
    const before = web.paths.length;
    for (const verb of ['click', 'type', 'press', 'select', 'drag', 'close_tab', 'accept_dialog'] as const)
      expect(await act(reader, verb, { target: { selector: '#save' }, value: 'x' })).toMatchObject({
        result: 'refused',
        refusal: 'not-allowed',
      });
    expect(await act(reader, 'scroll', { value: 'down' })).toMatchObject({ result: 'executed' });
    const other = await serveWeb(pages({ '/': `<img src="${web.origin}/image.png">` }));
    const listed = await open({ policy: { mode: 'allowlist', originAllowlist: [other.origin] } });
    expect(await listed.perform({ op: 'navigate', url: `${web.origin}/form` })).toMatchObject({
      refusal: 'not-allowed',
    });
    expect(await listed.perform({ op: 'navigate', url: other.origin })).toMatchObject({ result: 'executed' });
    await expect.poll(() => listed.refusals.map(({ url }) => url)).toContain(`${web.origin}/image.png`);
    expect(web.paths.length).toBe(before);
    const blind = await open({ policy: { mode: 'allowlist', toolAllowlist: ['navigate'] } });
    await expect(blind.screenshot()).rejects.toMatchObject({ kind: 'not-allowed' });
    expect(
      await blind.perform({ op: 'navigate', url: `${web.origin}/next`, observeAfter: 'a11y' }),
    ).toMatchObject({
      refusal: 'not-allowed',
    });
  });

  test('downloads are refused, and popups become tabs up to a bound', async () => {
    const session = await at('/popups');
    expect(await session.perform({ op: 'navigate', url: `${web.origin}/download` })).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('download'),
    });
    await act(session, 'click', { target: { selector: '#open' } });
    await expect
      .poll(async () => (await session.perform({ op: 'observe', mode: 'url' })).tabs.length)
      .toBe(10);
    expect(await session.perform({ op: 'navigate', url: web.origin, newTab: true })).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('10 tabs'),
    });
  });

  test('a page of the session itself is answered without a listener', async () => {
    const session = await open();
    const origin = session.serve('host', () => ({
      headers: { 'content-security-policy': "script-src 'none'" },
      body: `<title>Inside</title><script>document.title = 'ran'</script>`,
    }));
    expect(await session.perform({ op: 'navigate', url: `${origin}/` })).toMatchObject({ title: 'Inside' });
    const other = await open();
    expect(await other.perform({ op: 'navigate', url: `${origin}/` })).toMatchObject({ title: '' });
  });
});

describe('bounds', () => {
  test('an endless loop ends the command within its time, and the session can be closed', async () => {
    const session = await at('/loop');
    const begun = performance.now();
    await session.perform({ op: 'act', verb: 'click', target: { selector: '#loop' } }, { timeout: 1_500 });
    expect(await session.perform({ op: 'observe', mode: 'text' }, { timeout: 1_500 })).toMatchObject({
      result: 'unknown',
    });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await act(session, 'close_tab')).toMatchObject({ result: 'executed' });
    expect(await session.perform({ op: 'navigate', url: `${web.origin}/next` })).toMatchObject({
      title: 'Next',
    });
  });

  test('a page that never answers ends in unknown', async () => {
    const session = await open();
    const command = { op: 'navigate', url: `${web.origin}/never` } as const;
    expect(await session.perform(command, { timeout: 800 })).toMatchObject({ result: 'unknown' });
  });

  test('what a huge page has is cut, or refused with a way to see a part', { tags: ['long'] }, async () => {
    const session = await at('/huge');
    for (const mode of ['text', 'dom'] as const) {
      const { text, truncated } = await see(session, mode);
      expect([truncated, text.length <= 500_000]).toEqual([true, true]);
    }
    expect(await session.perform({ op: 'observe', mode: 'a11y' })).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('rootSelector'),
    });
    expect((await see(session, 'a11y', { rootSelector: 'p:nth-of-type(3)' })).text).toContain('word');
    const { width, height } = await see(session, 'screenshot', { rootSelector: 'body' });
    expect([width <= 1280, height <= 720]).toEqual([true, true]);
  });

  test('a page that floods its console costs bounded memory, and the browser goes on', {
    tags: ['long'],
  }, async () => {
    const session = await at('/flood');
    const { entries } = await see(session, 'console');
    expect(entries.length).toBeLessThanOrEqual(500);
    expect(Math.max(...entries.map(({ text }) => text.length))).toBeLessThanOrEqual(4_000);
    expect(await session.perform({ op: 'navigate', url: `${web.origin}/next` })).toMatchObject({
      title: 'Next',
    });
  });

  test('a page that changes what its functions answer cannot choose the shape of an observation', async () => {
    const session = await at('/liar');
    expect(await see(session, 'text')).toEqual({ mode: 'text', text: '', truncated: false });
    expect((await see(session, 'page_tools')).tools).toEqual([]);
    expect(await session.perform({ op: 'invoke_page_tool', toolKey: 'x', input: 1 })).toMatchObject({
      result: 'executed',
      output: { error: expect.stringContaining('not JSON') },
    });
    expect((await see(session, 'a11y')).text).toContain('honest');
  });

  test('storage comes back in another session, and is in no third', async () => {
    const session = await at('/stored');
    const storageState = await session.storageState();
    const again = await open({ storageState });
    await again.perform({ op: 'navigate', url: `${web.origin}/next` });
    expect(await again.storageState()).toEqual(storageState);
    expect(storageState.origins).toMatchObject([{ localStorage: [{ name: 'b', value: '2' }] }]);
    expect((await (await open()).storageState()).cookies).toEqual([]);
  });

  test('a recording holds pictures with their times until the session is closed', async () => {
    const session = await at('/form', { record: true });
    await act(session, 'click', { target: { selector: '#save' } });
    const recording = await session.recording();
    const part = recording?.parts[0];
    const bytes = await readFile(part?.path ?? '');
    expect(part?.frames.length).toBeGreaterThan(0);
    for (const { offset } of part?.frames ?? [])
      expect(bytes.subarray(offset, offset + 2)).toEqual(Buffer.from([0xff, 0xd8]));
    await session.close();
    await expect(readFile(part?.path ?? '')).rejects.toThrow('ENOENT');
  });

  test('a recording stops at its limit, and the session goes on', async () => {
    const small = startEngine({ recordingBytes: 20_000 });
    const session = await small.open({ policy: { mode: 'allow_all' }, record: true });
    const url = `${web.origin}/form`;
    for (let n = 0; n < 6; n++) await session.perform({ op: 'navigate', url, observeAfter: 'screenshot' });
    const recording = await session.recording();
    expect(recording).toMatchObject({ truncated: true });
    expect(recording?.bytes).toBeLessThanOrEqual(20_000);
    expect(await session.perform({ op: 'observe', mode: 'url' })).toMatchObject({ result: 'executed' });
  });
});
