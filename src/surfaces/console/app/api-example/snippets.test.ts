import { expect, test } from 'vitest';
import { callables } from '../../../client/operations.ts';
import { commandFacts } from './commands.ts';
import { asCommand, asCurl, asMcp, type Call } from './snippets.ts';

function call(id: string, input: Record<string, unknown>): Call {
  const operation = callables.find((one) => one.id === id);
  const facts = commandFacts[id];
  if (!operation || !facts) throw new Error(`No operation ${id}`);
  return { operation, facts, input };
}

const toolCall = call('callTool', {
  projectId: 'prj_1',
  serverId: 'srv_1',
  body: { toolName: 'add numbers', parameters: { text: "it's" } },
});

test('a call is written as curl, with every word quoted for the shell', () => {
  expect(asCurl(toolCall, 'http://127.0.0.1:4700')).toBe(
    [
      'curl http://127.0.0.1:4700/api/v1/projects/prj_1/servers/srv_1/tools/call',
      '-X POST',
      '-H "Authorization: Bearer $DRYDOCK_API_KEY"',
      "-H 'Content-Type: application/json'",
      String.raw`-d '{"toolName":"add numbers","parameters":{"text":"it'\''s"}}'`,
    ].join(' \\\n  '),
  );
});

test('the same as a command, with fields as flags', () => {
  expect(asCommand(toolCall)).toBe(
    [
      'drydock servers call srv_1',
      '--project prj_1',
      "--tool-name 'add numbers'",
      String.raw`--parameters '{"text":"it'\''s"}'`,
    ].join(' \\\n  '),
  );
});

test('a list keeps its filters, and what was left out stays out', () => {
  const list = call('listEvalRuns', { projectId: 'prj_1', result: 'failed', suiteId: undefined });
  expect(asCommand(list)).toBe('drydock eval-runs list-all \\\n  --project prj_1 \\\n  --result failed');
  expect(asCurl(list, 'https://x.example')).toContain('/eval-runs?result=failed');
});

test('agents read with one tool and change with another', () => {
  expect(JSON.parse(asMcp(toolCall))).toMatchObject({ name: 'write_operation' });
  expect(JSON.parse(asMcp(call('getEvalRun', { projectId: 'p', runId: 'r' })))).toEqual({
    name: 'read_operation',
    arguments: { operation: 'getEvalRun', arguments: { projectId: 'p', runId: 'r' } },
  });
});

test('bytes are taken from a file, or written as text', () => {
  const upload = new Blob(['suite:'], { type: 'application/yaml' });
  const sync = call('syncEvalSuiteFile', { projectId: 'p', declaredSuiteId: 'harbour', upload });
  expect(asCurl(sync, 'https://x.example')).toContain(
    "-H 'Content-Type: application/yaml' \\\n  --data-binary @FILE",
  );
  expect(asCommand(sync)).toBe(
    [
      'drydock eval-suites sync-file harbour',
      '--project p',
      '--file FILE',
      '--content-type application/yaml',
    ].join(' \\\n  '),
  );
  expect(JSON.parse(asMcp(sync))).toMatchObject({
    arguments: { arguments: { upload: { text: '…', contentType: 'application/yaml' } } },
  });
});
