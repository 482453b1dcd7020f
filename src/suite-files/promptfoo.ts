import { createHash } from 'node:crypto';
import type { Check } from '../contract/eval-checks.ts';
import { isObject } from '../platform/json/is-object.ts';
import { problemsFound } from './problem.ts';
import { mapAssertion, type Status } from './promptfoo-assertions.ts';
import { asSuiteFile, type SuiteFile } from './suite-file.ts';

export interface PromptfooOptions {
  suiteId: string;
  /** Used if the configuration has no description. */
  name: string;
  /** Names of saved servers, used if the configuration names none. */
  servers: readonly string[];
  /** Used if the configuration names none. */
  model?: string;
  /** The SHA-256 of the configuration's bytes, in hex. */
  sourceHash?: string;
}

export interface ImportReport {
  cases: Record<Status, number>;
  /** Every field that was not converted, by its path in the configuration. */
  notCarried: { path: string; why: string }[];
}

type Lost = ImportReport['notCarried'];
interface Prompt {
  text: string;
  index: number;
}

const maxCases = 500;
/** Maximum characters of fields in a suite file. */
const maxLengths = { note: 2000, title: 200, expected: 20_000, key: 512 };

/** Converts a promptfoo configuration into a suite file. Unsupported parts are listed, and their cases disabled. */
export function importPromptfoo(
  config: unknown,
  options: PromptfooOptions,
): { file: SuiteFile; report: ImportReport } {
  if (!isObject(config)) throw refusal('The configuration must be a mapping');
  const lost: Lost = [];
  const known = new Set([
    'description',
    'prompts',
    'providers',
    'targets',
    'tests',
    'defaultTest',
    'evaluateOptions',
    'repeat',
    '$schema',
  ]);
  for (const field of Object.keys(config))
    if (!known.has(field)) lost.push({ path: field, why: 'has no counterpart' });

  const prompts = promptsOf(config['prompts'], lost);
  const { model, temperature, servers } = providerOf(config, lost);
  const ofAll = lost.length;
  const defaults = testOf(config['defaultTest'], 'defaultTest', lost);
  const ofDefaults = lost.slice(ofAll);
  const written: unknown = config['tests'] ?? [{}];
  if (!Array.isArray(written)) throw refusal('tests: Must be a list; tests in files are not read');
  if (written.length * prompts.length > maxCases)
    throw refusal(`Each test with each prompt is a case, and a suite file can have at most ${maxCases}`);

  const counts: ImportReport['cases'] = { exact: 0, approximated: 0, unsupported: 0 };
  const cases = written.flatMap((raw: unknown, at) => {
    const before = lost.length;
    const test = testOf(raw, `tests.${at}`, lost);
    const ofTest = [...ofDefaults, ...lost.slice(before)].map(({ path, why }) => `${path}: ${why}`);
    return prompts.map((prompt) => {
      const made = caseOf(defaults, test, prompt, at, ofTest);
      counts[made.import.status]++;
      return made;
    });
  });
  const named = servers.length > 0 ? servers : options.servers;
  if (named.length === 0) throw refusal('No saved server is named; give at least one (--server)');
  const asked = model ?? options.model;
  if (asked === undefined) throw refusal('No model is named; give one (--model)');
  const report = { cases: counts, notCarried: lost };
  const description = typeof config['description'] === 'string' ? config['description'] : undefined;
  const file = {
    schemaVersion: '2',
    suite: { id: options.suiteId, name: options.name, ...(description && { description }) },
    target: { servers: named.map((name) => ({ name })) },
    defaults: {
      model: asked,
      ...(temperature !== undefined && { temperature }),
      iterations: repeatOf(config, lost),
      passThreshold: 1,
    },
    ...(options.sourceHash !== undefined && {
      provenance: {
        sourceHash: options.sourceHash,
        sourceFormat: 'promptfoo',
        reportHash: createHash('sha256').update(JSON.stringify(report)).digest('hex'),
        converter: 'drydock',
      },
    }),
    cases,
  };
  return { file: asSuiteFile(file), report };
}

interface Test {
  description?: string;
  vars: Record<string, unknown>;
  assertions: unknown[];
  threshold: boolean;
}

function testOf(raw: unknown, path: string, lost: Lost): Test {
  const empty: Test = { vars: {}, assertions: [], threshold: false };
  if (raw === undefined) return empty;
  const lose = (field: string, why: string): number =>
    lost.push({ path: field ? `${path}.${field}` : path, why });
  if (!isObject(raw)) {
    lose('', 'is not a mapping; files are not read');
    return empty;
  }
  for (const field of Object.keys(raw))
    if (!['description', 'vars', 'assert', 'threshold'].includes(field)) lose(field, 'has no counterpart');
  const { vars, assert: assertions, description } = raw;
  if (vars !== undefined && !isObject(vars)) lose('vars', 'is not a mapping; files are not read');
  if (assertions !== undefined && !Array.isArray(assertions)) lose('assert', 'is not a list');
  if (raw['threshold'] !== undefined) lose('threshold', 'every check must pass; scores are not added up');
  return {
    ...(typeof description === 'string' && { description }),
    vars: isObject(vars) ? vars : {},
    assertions: Array.isArray(assertions) ? assertions : [],
    threshold: raw['threshold'] !== undefined,
  };
}

function caseOf(defaults: Test, test: Test, prompt: Prompt, at: number, lost: readonly string[]) {
  const vars = new Map([...Object.entries(defaults.vars), ...Object.entries(test.vars)]);
  const fill = (text: string): string =>
    text.replace(/\{\{-?\s*([A-Za-z_][\w.-]{0,99})\s*-?\}\}/g, (whole, name: string) => {
      const value = vars.get(name);
      const plain = typeof value === 'string' && !/^(?:file|package|https?):\/\//.test(value);
      return plain || typeof value === 'number' || typeof value === 'boolean' ? String(value) : whole;
    });
  const mapped = [...defaults.assertions, ...test.assertions].map((one) => mapAssertion(one, fill));
  const text = fill(prompt.text);
  const notes = [...lost, ...mapped.flatMap(({ note }) => note ?? [])];
  const statuses = mapped.map(({ status }): Status => status);
  if (/\{\{|\{%/.test(text)) {
    statuses.push('unsupported');
    notes.push('the prompt has a template that cannot be filled in');
  }
  if (/^\s*\[\s*\{/.test(text) && text.includes('"role"')) {
    statuses.push('unsupported');
    notes.push('the prompt is a list of messages; write it as steps');
  }
  const many = [...vars].filter(([, value]) => Array.isArray(value)).map(([name]) => name);
  if (many.length > 0) {
    statuses.push('unsupported');
    notes.push(`lists of values are not expanded: ${many.join(', ')}`);
  }
  if (lost.length > 0 || test.threshold || defaults.threshold) statuses.push('approximated');
  let checks: Check[] = mapped.flatMap((one) => one.checks);
  if (checks.length > 50) {
    statuses.push('unsupported');
    notes.push(`only 50 of ${checks.length} checks fit into a case`);
    checks = checks.slice(0, 50);
  }
  const expected = mapped.flatMap(({ expectedOutput }) => expectedOutput ?? []).join('\n');
  if (expected.length > maxLengths.expected) notes.push('the expected output is cut');
  const status: Status = statuses.includes('unsupported')
    ? 'unsupported'
    : statuses.includes('approximated')
      ? 'approximated'
      : 'exact';
  const title = (test.description ?? text).replace(/\p{Cc}+/gu, ' ').trim();
  return {
    id: `test-${at + 1}-prompt-${prompt.index + 1}`,
    title: cut(title, maxLengths.title).trim() || `Test ${at + 1}`,
    steps: [{ id: '1', kind: 'prompt' as const, prompt: text }],
    ...(checks.length > 0 && { assertions: checks }),
    ...(expected && { expectedOutput: cut(expected, maxLengths.expected) }),
    ...(status === 'unsupported' && { disabled: true }),
    import: {
      status,
      sourceCaseKey: `tests.${at}/prompts.${prompt.index}`,
      note: cut(notes.join('. ') || 'Every assertion has an equivalent check', maxLengths.note),
    },
  };
}

function promptsOf(raw: unknown, lost: Lost): Prompt[] {
  const all: unknown[] = Array.isArray(raw) ? raw : raw === undefined ? [] : [raw];
  const read = all.flatMap((prompt, index): Prompt[] => {
    const text = isObject(prompt) ? prompt['raw'] : prompt;
    if (isObject(prompt))
      for (const field of Object.keys(prompt))
        if (field !== 'raw') lost.push({ path: `prompts.${index}.${field}`, why: 'has no counterpart' });
    if (
      typeof text === 'string' &&
      text.trim() &&
      !/^(?:file|exec|python|package):\/\/|^[^\s{}]+\.(?:txt|json|ya?ml|js|cjs|mjs|ts|py|md|j2|csv)(?::\w+)?$/.test(
        text,
      )
    )
      return [{ text, index }];
    lost.push({ path: `prompts.${index}`, why: 'is not a text; files are not read' });
    return [];
  });
  if (read.length === 0) throw refusal('prompts: There is no prompt that is written in the configuration');
  return read;
}

function providerOf(config: Record<string, unknown>, lost: Lost) {
  const field = config['providers'] === undefined ? 'targets' : 'providers';
  if (field === 'providers' && config['targets'] !== undefined)
    lost.push({ path: 'targets', why: 'providers are used' });
  const raw = config[field];
  const [first, ...others]: unknown[] = Array.isArray(raw) ? raw : raw === undefined ? [] : [raw];
  for (const [index] of others.entries())
    lost.push({ path: `${field}.${index + 1}`, why: 'only the first model is used' });
  const id: unknown = isObject(first) ? first['id'] : first;
  const settings = isObject(first) && isObject(first['config']) ? first['config'] : {};
  if (isObject(first))
    for (const name of Object.keys(first))
      if (name !== 'id' && !(name === 'config' && isObject(first[name])))
        lost.push({ path: `${field}.0.${name}`, why: 'has no counterpart' });
  const { temperature, mcp, ...rest } = settings;
  for (const name of Object.keys(rest))
    lost.push({ path: `${field}.0.config.${name}`, why: 'has no counterpart' });
  const warm =
    typeof temperature === 'number' && temperature >= 0 && temperature <= 2 ? temperature : undefined;
  if (temperature !== undefined && warm === undefined)
    lost.push({ path: `${field}.0.config.temperature`, why: 'is not a number from 0 to 2' });
  const model = typeof id === 'string' && !/^(?:file|https?|exec|python):/.test(id) ? modelOf(id) : undefined;
  if (first !== undefined && model === undefined) lost.push({ path: `${field}.0`, why: 'names no model' });
  return { model, temperature: warm, servers: serversOf(mcp, `${field}.0.config.mcp`, lost) };
}

/** `openai:chat:gpt-5` becomes `openai/gpt-5`. */
function modelOf(id: string): string {
  const [provider = '', ...rest] = id.split(':');
  const name = rest.filter(
    (part, at) => at > 0 || !['chat', 'messages', 'responses', 'completion'].includes(part),
  );
  return name.length === 0 ? id : `${provider}/${name.join(':')}`;
}

function serversOf(mcp: unknown, path: string, lost: Lost): string[] {
  if (mcp === undefined) return [];
  const { server, servers } = isObject(mcp) ? mcp : {};
  const all: unknown[] = [
    ...(server === undefined ? [] : [server]),
    ...(Array.isArray(servers) ? (servers as unknown[]) : []),
  ];
  const names = all
    .flatMap((one) => (isObject(one) && typeof one['name'] === 'string' ? one['name'].trim() : []))
    .filter(Boolean);
  lost.push({ path, why: 'only the names of servers are taken; save the servers in the project' });
  return [...new Set(names)];
}

function repeatOf(config: Record<string, unknown>, lost: Lost): number {
  const options = isObject(config['evaluateOptions']) ? config['evaluateOptions'] : {};
  for (const name of Object.keys(options))
    if (name !== 'repeat') lost.push({ path: `evaluateOptions.${name}`, why: 'has no counterpart' });
  const repeat = options['repeat'] ?? config['repeat'] ?? 1;
  if (typeof repeat === 'number' && Number.isSafeInteger(repeat) && repeat >= 1 && repeat <= 10)
    return repeat;
  lost.push({
    path: options['repeat'] === undefined ? 'repeat' : 'evaluateOptions.repeat',
    why: 'is not a number from 1 to 10',
  });
  return typeof repeat === 'number' && repeat > 10 ? 10 : 1;
}

function cut(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text)
    .toWellFormed()
    .replaceAll('\0', '\ufffd');
}

function refusal(message: string) {
  return problemsFound([{ line: 1, column: 1, path: '', message }]);
}
