// @module-tag long
import { beforeEach, expect, test } from 'vitest';
import { type Evals, executing, scriptedModel } from './support/evals.ts';
import { folderOf } from './support/folder.ts';
import { Drydock, type Outcome, program } from './support/process.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { Terminal } from './support/terminal.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let env: Record<string, string>;

executing(async (parts) => {
  ({ provider, service, evals } = parts);
  await evals.server({ name: 'harbour' });
  env = {
    DRYDOCK_URL: service.origin,
    DRYDOCK_API_KEY: service.key,
    DRYDOCK_PROJECT: evals.project.slice('/projects/'.length),
  };
});
const lists = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');
beforeEach(() => {
  provider.requests.length = 0;
  provider.script = lists;
});

const run = (args: string[], input = ''): Promise<Outcome> => {
  const drydock = new Drydock(['chat', ...args], env);
  drydock.child.stdin?.end(input);
  return drydock.outcome();
};

test('one message goes in and the reply comes out, from a flag or the standard input', async () => {
  const said = await run(['--server', 'Harbour', '--model', scriptedModel, '--message', 'Which ships?']);
  expect(said).toEqual({
    code: 0,
    stdout: 'Albatross, Bittern and Cormorant.\n',
    stderr: expect.stringMatching(/^ {2}list_ships \{\}: \d+ ms\n$/),
  });
  const tools = provider.requests.at(-1)?.body.tools.length as number;

  // The only server and the only language model need no name; all tools have to be asked for.
  const piped = await run(['--auto', '--json'], 'Which ships?\n');
  const turn = JSON.parse(piped.stdout) as { sessionId: string };
  expect(turn).toMatchObject({ reply: 'Albatross, Bittern and Cormorant.', toolMode: 'auto' });
  expect(provider.requests.at(-1)?.body.tools.length).toBeGreaterThan(tools);

  provider.script = () => ({ text: 'The longest is \u001B[2J\u009B31mAlbatross\u202E\r\nand that is all.' });
  const next = await run([
    '--session',
    turn.sessionId,
    '--max-tool-calls',
    '0',
    '--message',
    'And the longest?',
  ]);
  expect(next.stdout).toBe('The longest is \uFFFD[2J\uFFFD31mAlbatross\uFFFD\nand that is all.\n');
  expect(provider.requests.at(-1)?.body).toMatchObject({ messages: { length: 5 } });
  expect(provider.requests.at(-1)?.body.tools).toBeUndefined();
});

test('what cannot be done says why, and the exit code tells refusals from a model that gives no reply', async () => {
  expect(await run(['--server', 'harbor', '--message', 'x'])).toMatchObject({
    code: 2,
    stderr: 'drydock: No server named "harbor". Did you mean "harbour"?\n',
  });
  expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('--message') });
  expect(await run(['--session', 'chat_1', '--auto', '--message', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--auto: fixed by the first message'),
  });
  expect((await run(['--model', 'no/such', '--message', 'x'])).stderr).toContain('(VALIDATION_ERROR)');
  provider.script = () => ({ status: 400, text: 'no' });
  expect(await run(['--message', 'x'])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('The model request failed'),
  });
});

test('on a terminal the conversation goes on; Ctrl-C ends a turn, and a second one leaves', async () => {
  const chat = Terminal.drydock(['chat', '--server', 'harbour'], { env, columns: 60 });
  await chat.shows(/Chat with scripted\/model and harbour, read-only tools/);
  chat.type('Which ships?\r');
  await chat.shows(/list_ships \{\}: \d+ ms[\s\S]*Cormorant\.\r\n[\s\S]*200 tokens in, 40 out[\s\S]*> /);
  provider.script = () => ({ silent: true });
  chat.type('Say nothing\r');
  await expect.poll(() => provider.requests.length).toBe(3);
  chat.type('\u0003');
  await chat.shows(/Stopped\. This turn was not saved[\s\S]*> /);
  provider.script = () => ({ text: 'Still here.' });
  chat.type('Still there?\r');
  await chat.shows(/Still here\.[\s\S]*out[\s\S]*> /);
  expect(provider.requests.at(-1)?.body.messages).toHaveLength(5);
  chat.type('\u0003');
  expect(await chat.ended()).toBe(130);
  expect(chat.screen).toMatch(/Continue with: drydock chat --session chat_/);

  const left = Terminal.drydock(['chat'], { env });
  await left.shows(/> /);
  left.type('\u0004');
  expect(await left.ended()).toBe(0);
});

test('names of servers are completed', async () => {
  const { stdout } = await new Drydock(['completion', 'bash'], env).outcome();
  const folder = await folderOf({ 'completion.bash': stdout });
  const completed = async (...words: string[]): Promise<string> => {
    const line = `drydock() { ${process.execPath} ${program} "$@"; }; source completion.bash; COMP_WORDS=(drydock ${words.join(' ')}); COMP_CWORD=${words.length}; _drydock; printf '%s|' "\${COMPREPLY[@]}"`;
    const terminal = new Terminal(['bash', '--norc', '-c', line], { env, cwd: folder });
    await terminal.ended();
    return terminal.lines.join('');
  };
  expect(await completed('chat', '--ser')).toBe('--server|--service|');
  expect(await completed('chat', '--auto', '--server', 'ha')).toBe('harbour|');
});
