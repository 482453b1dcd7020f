import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SuiteFileProblem } from './problem.ts';
import { type ImportReport, importPromptfoo, type PromptfooOptions } from './promptfoo.ts';
import { readSuiteFile } from './read.ts';
import { writeSuiteFile } from './write.ts';

const options: PromptfooOptions = {
  suiteId: 'ships',
  name: 'Ships',
  servers: ['demo'],
  model: 'drydock/rehearsal',
};
const plain = { vars: { what: 'ships' } };
const config = (assertion: unknown, more: object = {}) => ({
  prompts: ['List the {{ what }}'],
  // The second keeps the suite from having no enabled case.
  tests: [{ ...plain, assert: [assertion] }, plain],
  ...more,
});

type Row = [unknown, keyof ImportReport['cases'], unknown?];
test.each<Row>([
  [
    { type: 'contains', value: '{{what}}' },
    'exact',
    { type: 'responseContains', needle: 'ships', caseSensitive: true },
  ],
  [
    { type: 'icontains', value: 'a' },
    'exact',
    { type: 'responseContains', needle: 'a', caseSensitive: false },
  ],
  [{ type: 'regex', value: '^a+$' }, 'exact', { type: 'responseMatches', pattern: '^a+$' }],
  [{ type: 'regex', value: '(?=a)' }, 'unsupported'],
  [{ type: 'regex', value: '(a)\\1' }, 'unsupported'],
  [{ type: 'starts-with', value: 'a.b' }, 'exact', { type: 'responseMatches', pattern: '^a\\.b' }],
  [{ type: 'not-contains', value: 'a' }, 'unsupported'],
  [
    { type: 'equals', value: 'A' },
    'approximated',
    { type: 'responseCloseTo', reference: 'A', maxDistance: 0, caseSensitive: true },
  ],
  [{ type: 'equals', value: { a: 1 } }, 'unsupported'],
  [{ type: 'contains', value: 'file://a.txt' }, 'unsupported'],
  [{ type: 'contains', value: '{{missing}}' }, 'unsupported'],
  [
    { type: 'contains', value: 'a', weight: 2 },
    'approximated',
    { type: 'responseContains', needle: 'a', caseSensitive: true },
  ],
  [{ type: 'latency', threshold: 100 }, 'unsupported'],
  [{ type: 'cost', threshold: 1 }, 'unsupported'],
  [{ type: 'perplexity', threshold: 1 }, 'unsupported'],
  [{ type: 'is-json' }, 'unsupported'],
  [{ type: 'javascript', value: 'true' }, 'unsupported'],
  [{ type: 'python', value: 'True' }, 'unsupported'],
  [{ type: 'similar', value: 'a' }, 'unsupported'],
  [{ type: 'llm-rubric', value: 'Is polite' }, 'approximated'],
  [
    { type: 'trajectory:tool-used', value: 'list' },
    'exact',
    { type: 'toolCalledAtLeastOnce', toolName: 'list' },
  ],
  [
    { type: 'trajectory:tool-used', value: { name: 'list' } },
    'exact',
    { type: 'toolCalledAtLeastOnce', toolName: 'list' },
  ],
  [
    { type: 'trajectory:tool-used', value: { name: 'list', min: 2 } },
    'exact',
    { type: 'toolCalledWith', toolName: 'list', args: { args: {}, argumentMatching: 'ignore' }, minCount: 2 },
  ],
  [{ type: 'trajectory:tool-used', value: { name: 'list', max: 2 } }, 'unsupported'],
  [
    { type: 'tool-call-f1', value: ['list'] },
    'approximated',
    { type: 'toolCalledAtLeastOnce', toolName: 'list' },
  ],
  [
    { type: 'trajectory:tool-args-match', value: { name: 'list', args: { a: 1 }, mode: 'exact' } },
    'exact',
    { type: 'toolCalledWith', toolName: 'list', args: { args: { a: 1 }, argumentMatching: 'exact' } },
  ],
  [
    { type: 'trajectory:tool-args-match', value: { name: 'list', args: { a: 1 } } },
    'approximated',
    { type: 'toolCalledWith', toolName: 'list', args: { args: { a: 1 }, argumentMatching: 'partial' } },
  ],
  [{ type: 'is-valid-openai-tools-call' }, 'approximated', { type: 'argumentsMatchToolSchema' }],
  [{ type: 'assert-set', assert: [] }, 'unsupported'],
  ['nonsense', 'unsupported'],
  [{ type: 'constructor' }, 'unsupported'],
])('%j is %s', (assertion, status, check) => {
  const [made] = importPromptfoo(config(assertion), options).file.cases;
  expect(made).toMatchObject({
    steps: [{ kind: 'prompt', prompt: 'List the ships' }],
    import: { status, sourceCaseKey: 'tests.0/prompts.0', note: expect.any(String) as string },
  });
  expect(made && 'assertions' in made ? made.assertions : undefined).toEqual(
    check === undefined ? undefined : [check],
  );
  expect(made?.disabled).toBe(status === 'unsupported' ? true : undefined);
});

test('a rubric is kept as the expected output', () => {
  const { file } = importPromptfoo(
    config({ type: 'llm-rubric', value: 'Is polite about {{what}}' }),
    options,
  );
  expect(file.cases[0]?.expectedOutput).toBe('Is polite about ships');
});

test('each test with each prompt is a case, and whatever is left behind is told', () => {
  const { file, report } = importPromptfoo(
    {
      description: 'About ships',
      prompts: ['A {{what}}', 'file://b.txt', 'C {{what}}'],
      providers: [
        {
          id: 'openai:chat:gpt-5',
          config: { temperature: 0.5, top_p: 1, mcp: { servers: [{ name: 'harbour' }] } },
        },
        'anthropic:messages:claude',
      ],
      defaultTest: { assert: [{ type: 'contains', value: 'x' }] },
      evaluateOptions: { repeat: 3, maxConcurrency: 2 },
      scenarios: [],
      tests: [
        { ...plain, description: 'One' },
        { ...plain, threshold: 0.5, options: { transform: 'x' } },
      ],
    },
    { ...options, sourceHash: 'a'.repeat(64) },
  );
  expect(file).toMatchObject({
    suite: { id: 'ships', name: 'Ships', description: 'About ships' },
    target: { servers: [{ name: 'harbour' }] },
    defaults: { model: 'openai/gpt-5', temperature: 0.5, iterations: 3 },
    provenance: { sourceFormat: 'promptfoo', sourceHash: 'a'.repeat(64) },
  });
  expect(file.cases.map(({ id, title }) => [id, title])).toEqual([
    ['test-1-prompt-1', 'One'],
    ['test-1-prompt-3', 'One'],
    ['test-2-prompt-1', 'A ships'],
    ['test-2-prompt-3', 'C ships'],
  ]);
  expect(report.cases).toEqual({ exact: 2, approximated: 2, unsupported: 0 });
  expect(report.notCarried.map(({ path }) => path).toSorted()).toEqual([
    'evaluateOptions.maxConcurrency',
    'prompts.1',
    'providers.0.config.mcp',
    'providers.0.config.top_p',
    'providers.1',
    'scenarios',
    'tests.1.options',
    'tests.1.threshold',
  ]);
  expect(readSuiteFile(new TextEncoder().encode(writeSuiteFile(file))).file).toEqual(file);
});

test('what is lost of the default test makes no case exact', () => {
  const { report } = importPromptfoo(
    config({ type: 'contains', value: 'a' }, { defaultTest: { options: {} } }),
    options,
  );
  expect(report.cases.exact).toBe(0);
});

test.each<[string, unknown, RegExp]>([
  ['no mapping', [], /mapping/],
  ['no prompt', { prompts: ['file://a.txt'] }, /no prompt/],
  ['tests in a file', { prompts: ['a'], tests: 'file://a.csv' }, /tests/],
  ['too many cases', { prompts: ['a', 'b'], tests: new Array(251).fill({}) }, /at most 500/],
])('refused: %s', (_what, given, message) => {
  expect(() => importPromptfoo(given, options)).toThrow(message);
});

test('where nothing can be run, the report says why, and the file cannot be synced', () => {
  const { file, report } = importPromptfoo({ prompts: ['{{a}}'] }, options);
  expect(report.cases).toEqual({ exact: 0, approximated: 0, unsupported: 1 });
  const bytes = new TextEncoder().encode(writeSuiteFile(file));
  expect(() => readSuiteFile(bytes)).toThrow('Every case is disabled');
});

test('whatever the configuration, the answer is a file that reads back or a SuiteFileProblem', () => {
  const assertion = fc.record({
    type: fc.constantFrom('contains', 'regex', 'equals', 'llm-rubric', 'tool-used', 'x'),
    value: fc.anything(),
  });
  const given = fc.record(
    {
      prompts: fc.oneof(fc.string(), fc.array(fc.string())),
      providers: fc.anything(),
      defaultTest: fc.anything(),
      tests: fc.array(
        fc.oneof(
          fc.anything(),
          fc.record({ vars: fc.dictionary(fc.string(), fc.anything()), assert: fc.array(assertion) }),
        ),
      ),
      repeat: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), given), (config) => {
      try {
        const { file } = importPromptfoo(config, options);
        expect(readSuiteFile(new TextEncoder().encode(writeSuiteFile(file))).file).toEqual(file);
      } catch (error) {
        if (!(error instanceof SuiteFileProblem)) throw error;
      }
    }),
  );
});
