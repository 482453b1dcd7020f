// @module-tag long
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readSuiteFile } from '../src/suite-files/read.ts';
import { place } from './support/process.ts';

const key = `sk_${'files'.repeat(8)}`;
const authorization = `Bearer ${key}`;
const example = new URL('../examples/suite.yaml', import.meta.url).pathname;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'drydock-files-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('the example is synced and run, exported, and synced again, here and over HTTP', async () => {
  const here = await place();
  const at = await folder();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  const first = await here.run(['evals', 'run', example, '--wait']);
  expect(first.stderr).toMatch(/^Created: suite Harbour \(suite_\w+\); cases: 5 created$/m);
  expect(first.stdout).toContain('PASSED (4 of 4 cases passed)');
  expect(first.code).toBe(0);

  const copy = join(at, 'copy.yaml');
  await here.run(['evals', 'export', 'Harbour', '-o', copy]);
  const remote = (...args: string[]) =>
    here.run([...args, '--service', service.baseUrl], { DRYDOCK_API_KEY: key });
  const text = await readFile(copy, 'utf8');
  expect(parse(text)).toMatchObject({ suite: { id: 'harbour' }, cases: { length: 5 } });
  expect(await remote('evals', 'export', 'Harbour')).toMatchObject({ code: 0, stdout: text });
  for (const run of [(args: string[]) => here.run(args), (args: string[]) => remote(...args)])
    expect(await run(['evals', 'run', copy])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Unchanged: suite Harbour .* 5 unchanged$/m),
    });

  const bad = join(at, 'bad.yaml');
  await writeFile(bad, text.replace('name: demo', 'name: nowhere'));
  const refused = await remote('evals', 'run', bad);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/bad\.yaml:\d+:\d+: target\.servers\.0: .*no server called "nowhere"/);
  expect(await here.run(['evals', 'run', join(at, 'missing.yaml')])).toMatchObject({ code: 2 });
});

test('a large file keeps nobody else waiting', { tags: ['long'] }, async () => {
  const here = await place();
  const { baseUrl } = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  const { text } = await largeFile();
  let slowest = 0;
  const synced = new AbortController();
  const others = (async () => {
    while (!synced.signal.aborted) {
      const from = performance.now();
      await fetch(`${baseUrl}/me`, { headers: { authorization } }).then((response) => response.text());
      slowest = Math.max(slowest, performance.now() - from);
    }
  })();
  const projects = await fetch(`${baseUrl}/projects`, { headers: { authorization } });
  const { items } = (await projects.json()) as { items: { id: string }[] };
  const began = performance.now();
  const answer = await fetch(`${baseUrl}/projects/${items[0]?.id}/eval-suite-files/large`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/yaml' },
    body: text,
  });
  const took = performance.now() - began;
  synced.abort();
  await others;
  expect(await answer.json()).toMatchObject({ created: true, cases: { created: 500 } });
  expect(slowest).toBeLessThan(took / 3);
});

async function largeFile(): Promise<{ text: string }> {
  const file = parse(await readFile(example, 'utf8')) as { suite: object; cases: object[] };
  const steps = Array.from({ length: 20 }, (_, at) => ({
    id: `${at}`,
    kind: 'prompt',
    prompt: 'Which ships?',
  }));
  const cases = Array.from({ length: 500 }, (_, at) => ({ id: `c${at}`, title: `Case ${at}`, steps }));
  const suite = { id: 'large', name: 'Large' };
  return { text: stringify({ ...file, suite, cases }, { aliasDuplicateObjects: false }) };
}

test('files are checked and imported without a service', async () => {
  const here = await place();
  const at = await folder();
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(at, name), text);
    return join(at, name);
  };
  expect(await here.run(['evals', 'check-file', example])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('suite harbour, 5 cases, 1 disabled'),
  });
  const bad = await write(
    'bad.yaml',
    (await readFile(example, 'utf8')).replace('iterations: 5', 'iterations: 50'),
  );
  const checked = await here.run(['evals', 'check-file', bad]);
  expect(checked).toMatchObject({ code: 2, stdout: '' });
  expect(checked.stderr).toMatch(/bad\.yaml:14:15: defaults\.iterations: At most 10 trials/);

  const config = await write(
    'promptfooconfig.yaml',
    stringify({
      prompts: ['List the {{what}}'],
      providers: ['openai:chat:gpt-5'],
      tests: [
        { vars: { what: 'ships' }, assert: [{ type: 'contains', value: 'Albatross' }] },
        { vars: { what: 'ships' }, assert: [{ type: 'llm-rubric', value: 'Is polite' }] },
        { vars: { what: 'ships' }, assert: [{ type: 'javascript', value: 'true' }] },
      ],
    }),
  );
  const out = join(at, 'suite.yaml');
  const made = await here.run(['evals', 'import', 'promptfoo', config, '-o', out, '--server', 'demo']);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 exact, 1 approximated, 1 unsupported'),
  });
  expect(made.stdout).toMatch(/test-3-prompt-1 +unsupported +javascript: /);
  const { file } = readSuiteFile(await readFile(out));
  expect(file).toMatchObject({
    suite: { id: 'promptfooconfig' },
    defaults: { model: 'openai/gpt-5' },
    cases: [{ import: { status: 'exact' } }, { import: { status: 'approximated' } }, { disabled: true }],
  });
  for (const text of ['[]', 'prompts: {', '{"prompts": "file://a.txt"}'])
    expect(await here.run(['evals', 'import', 'promptfoo', await write('none.yaml', text)])).toMatchObject({
      code: 2,
      stdout: '',
    });
});
