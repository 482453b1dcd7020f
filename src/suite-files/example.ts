import type { z } from 'zod';
import type { SuiteFile } from './suite-file.ts';

type File<Version extends '1' | '2'> = Extract<z.input<typeof SuiteFile>, { schemaVersion: Version }>;

/** Two valid files, for tests. */
export const firstVersion: File<'1'> = {
  schemaVersion: '1',
  mode: 'agentWorkflow',
  reportingMode: 'standard',
  captureLevel: 'full',
  suite: { id: 'ships', name: 'Ships', description: 'Of the drydock' },
  servers: { demo: { command: 'node', args: ['server.js'], env: { TOKEN: '${TOKEN}' } } },
  target: { servers: [{ name: 'demo' }], hosts: [{ host: 'Claude', servers: ['demo'] }] },
  defaults: {
    model: 'drydock/rehearsal',
    temperature: 0,
    repetitions: 5,
    judge: { enabled: false },
    passThreshold: 0.8,
    validity: { minEligibleTrials: 0, minCompletionRate: 0.9 },
    matchOptions: { toolCallOrder: 'exact' },
    toolPolicy: { mode: 'default' },
    checks: [{ type: 'noToolErrors', role: 'advisory', severity: 'warn' }],
  },
  cases: [
    {
      id: 'lists',
      title: 'Lists the ships',
      kind: 'regression',
      steps: [
        { id: '1', kind: 'prompt', prompt: 'Which ships are in the drydock?' },
        { id: '2', kind: 'assert', assertion: { type: 'toolCalledAtLeastOnce', toolName: 'list' } },
        { id: '3', kind: 'assert', assertion: { kind: 'textVisible', toolName: 'list', text: 'Ship' } },
      ],
      checks: [{ type: 'noToolErrors', role: 'gating' }],
      import: { status: 'exact', note: 'By hand' },
    },
  ],
};

export const secondVersion: File<'2'> = {
  $schema: 'http://127.0.0.1/schemas/suite-file.json',
  schemaVersion: '2',
  notes: ['By hand'],
  suite: { id: 'ships', name: 'Ships' },
  servers: { demo: { url: 'http://127.0.0.1:${PORT}/mcp', headers: { authorization: 'Bearer ${TOKEN}' } } },
  target: { environment: 'staging' },
  defaults: { model: 'drydock/rehearsal', iterations: 1, passThreshold: 1 },
  cases: [
    {
      id: 'calls',
      title: 'Calls',
      steps: [
        { id: '1', kind: 'toolCall', serverName: 'demo', toolName: 'list', arguments: { a: [1, null] } },
      ],
      assertions: [{ type: 'responseMatches', pattern: '^a', role: 'required' }],
      assertionsMode: 'replace',
      models: [{ model: 'a', provider: 'custom' }],
      matchOptions: { extraToolCalls: 'unlimited' },
      failOnToolError: false,
      suppressedSuiteStandardCheckIds: ['call.schema'],
      judge: { enabled: true },
      scenario: 'At night',
      iterations: 2,
    },
    { id: 'off', title: 'Off', steps: [{ id: '1', kind: 'prompt', prompt: 'Hi' }], disabled: true },
  ],
};

/** Returns a copy with another value at a path, or without the value. */
export function changed(file: object, path: string, value?: unknown): Record<string, unknown> {
  const copy = structuredClone(file) as Record<string, unknown>;
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  let at: Record<string, unknown> = copy;
  for (const part of parts) at = at[part] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

/** Invalid variants with one error each: the file, the path, and the value there. */
export const broken: [object, string, unknown?][] = [
  [firstVersion, 'schemaVersion', '3'],
  [firstVersion, 'schemaVersion', 1],
  [firstVersion, 'schemaVersion', '2'],
  [secondVersion, 'schemaVersion', '1'],
  [firstVersion, 'mode', 'other'],
  [firstVersion, 'reportingMode', 'brief'],
  [firstVersion, 'captureLevel', 'none'],
  [firstVersion, 'suite'],
  [firstVersion, 'suite.id', 'no spaces'],
  [firstVersion, 'suite.name', 'x'.repeat(201)],
  [firstVersion, 'suite.extra', 1],
  [firstVersion, 'servers', []],
  [firstVersion, 'servers.demo', {}],
  [firstVersion, 'servers.demo', { command: 'node', url: 'http://127.0.0.1/mcp' }],
  [firstVersion, 'servers.demo', { url: 'http://127.0.0.1/mcp', cwd: '/' }],
  [firstVersion, 'servers.demo', { command: 'node', env: { 'A B': 'x' } }],
  [firstVersion, 'target', {}],
  [firstVersion, 'target.servers', []],
  [firstVersion, 'defaults.model'],
  [firstVersion, 'defaults.iterations', 3],
  [firstVersion, 'defaults.repetitions', 0],
  [firstVersion, 'defaults.repetitions', 11],
  [firstVersion, 'defaults.repetitions', 101],
  [firstVersion, 'defaults.repetitions', 1.5],
  [firstVersion, 'defaults.passThreshold', 1.1],
  [firstVersion, 'defaults.toolPolicy.mode', 'readOnly'],
  [firstVersion, 'defaults.toolPolicy.deny', ['drop']],
  [firstVersion, 'provenance', { sourceHash: 'x', sourceFormat: 'y', reportHash: 'z' }],
  [firstVersion, 'cases', []],
  [firstVersion, 'cases', new Array(501).fill(firstVersion.cases[0])],
  [firstVersion, 'cases.0.title'],
  [firstVersion, 'cases.0.steps', []],
  [firstVersion, 'cases.0.steps.0.kind', 'pray'],
  [firstVersion, 'cases.0.steps.1.assertion.type', 'nonsense'],
  [firstVersion, 'cases.0.steps.2.assertion.kind', 'nonsense'],
  [firstVersion, 'cases.0.assertions', []],
  [firstVersion, 'cases.0.import.status', 'maybe'],
  [firstVersion, 'cases.0.import.approvedBy', 'me'],
  [secondVersion, 'cases.0.checks', []],
  [secondVersion, 'cases.0.assertions.0.pattern', ''],
  [secondVersion, 'cases.0.iterations', 11],
  [secondVersion, 'cases.0.assertionsMode', 'merge'],
  [secondVersion, 'cases.0.checksMode', 'replace'],
  [secondVersion, 'cases.0.models', []],
  [firstVersion, 'defaults.assertions', []],
  [firstVersion, 'defaults.checks.0.severity', 'fatal'],
];
