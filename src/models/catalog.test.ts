import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { folderOf } from '../../test/support/folder.ts';
import { OperatorProblem } from '../platform/problem.ts';
import { loadModelCatalog, type ModelCatalog } from './catalog.ts';

interface Given {
  file?: unknown;
  keys?: Record<string, string>;
  env?: Record<string, string>;
}

async function catalogOf({ file, keys = {}, env = {} }: Given): Promise<ModelCatalog> {
  if (file === undefined) return loadModelCatalog({ keys, env });
  const content = typeof file === 'string' ? file : JSON.stringify(file);
  const folder = await folderOf({ 'models.json': content });
  return loadModelCatalog({ modelsFile: join(folder, 'models.json'), keys, env });
}

const litellm = {
  name: 'litellm',
  wire: 'openai-chat',
  baseUrl: 'http://127.0.0.1:4000/v1/',
  apiKeyEnv: 'LITELLM_KEY',
  concurrency: 4,
};

const bedrock = {
  name: 'bedrock',
  wire: 'bedrock',
  baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
  apiKeyEnv: 'AWS_SECRET_ACCESS_KEY',
  accessKeyIdEnv: 'AWS_ACCESS_KEY_ID',
};

describe('the catalog', () => {
  test('starts with the offline model, which is always there and costs nothing', async () => {
    const [first, ...others] = (await catalogOf({})).list();
    expect(first).toMatchObject({
      id: 'drydock/rehearsal',
      hosted: true,
      offline: true,
      prices: { input: 0 },
    });
    expect(others.length).toBeGreaterThan(0);
    expect(others.every(({ hosted }) => !hosted)).toBe(true);
  });

  test('hosts the models of a provider whose key it has', async () => {
    const models = (await catalogOf({ keys: { anthropic: 'k' } })).list();
    for (const { id, provider, hosted } of models)
      expect([id, hosted]).toEqual([id, provider === 'anthropic' || provider === 'drydock']);
    const haiku = models.find(({ id }) => id === 'anthropic/claude-haiku-4.5');
    expect(haiku).toMatchObject({ contextLength: 200_000, prices: { input: 1, output: 5 } });
  });

  test('hosts what the file lists of Google, with the key of the built-in connection', async () => {
    const file = { models: [{ id: 'google/gemini-2.5-flash' }] };
    const hosted = async (keys: Record<string, string>): Promise<boolean | undefined> =>
      (await catalogOf({ file, keys })).find('google/gemini-2.5-flash')?.hosted;
    expect([await hosted({}), await hosted({ google: 'k' })]).toEqual([false, true]);
  });

  test('takes the region of Bedrock from the address, and says which half of the key is missing', async () => {
    const file = { connections: [bedrock], models: [{ id: 'bedrock/m' }] };
    const env = { AWS_SECRET_ACCESS_KEY: 's', AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE' };
    const catalog = await catalogOf({ file, env });
    const aws = { region: 'eu-central-1', accessKeyId: 'AKIAEXAMPLE' };
    expect(catalog.connection('bedrock')).toMatchObject({ aws, lacksKey: false });
    expect(catalog.find('bedrock/m')?.hosted).toBe(true);
    const half = await catalogOf({ file, env: { AWS_SECRET_ACCESS_KEY: 's' } });
    expect(half.find('bedrock/m')?.hosted).toBe(false);
    expect(half.warnings).toEqual(['The model connection bedrock has no key: AWS_ACCESS_KEY_ID is not set']);
  });

  test('reads files of old, in their order and before the built-in models', async () => {
    const file = {
      models: [{ id: 'b/one', name: 'One', contextLength: 5 }, { id: 'openai/gpt-5-nano' }, { id: 'a/two' }],
    };
    const catalog = await catalogOf({ file, keys: { openai: 'k' } });
    const ids = catalog.list().map(({ id }) => id);
    expect(ids.slice(0, 4)).toEqual(['drydock/rehearsal', 'b/one', 'openai/gpt-5-nano', 'a/two']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(catalog.list()[1]).toEqual({
      id: 'b/one',
      provider: 'b',
      name: 'One',
      contextLength: 5,
      hosted: false,
    });
    expect(catalog.list()[2]).toMatchObject({ name: 'GPT-5 nano', hosted: true, prices: { output: 0.4 } });
  });

  test('takes what the operator says before what is built in', async () => {
    const prices = { input: 9, output: 9, longPrompt: { above: 10, input: 90, output: 90, cacheRead: 1 } };
    const file = {
      builtInModels: false,
      models: [{ id: 'openai/gpt-5-nano', name: 'Ours', prices, model: 'nano-2' }],
    };
    const catalog = await catalogOf({ file });
    expect(catalog.list()).toHaveLength(2);
    expect(catalog.find('openai/gpt-5-nano')).toMatchObject({
      name: 'Ours',
      upstream: 'nano-2',
      contextLength: 400_000,
      prices: { input: 9, cacheRead: 9, cacheWrite: 9, longPrompt: { cacheRead: 1, cacheWrite: 90 } },
    });
  });

  test('reaches models over connections, and says which of them lack a key', async () => {
    const file = {
      connections: [litellm, { name: 'ollama', wire: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1' }],
      models: [
        { id: 'mistralai/large', connection: 'litellm', model: 'mistral-large-2512', temperature: false },
        { id: 'openai/gpt-5-nano', connection: 'litellm' },
        { id: 'ollama/llama3.2' },
      ],
    };
    const without = await catalogOf({ file });
    expect(
      without
        .list()
        .slice(1, 4)
        .map(({ hosted }) => hosted),
    ).toEqual([false, false, true]);
    expect(without.warnings).toEqual(['The model connection litellm has no key: LITELLM_KEY is not set']);
    const withKey = await catalogOf({ file, env: { LITELLM_KEY: 'secret-word' } });
    expect(withKey.warnings).toEqual([]);
    expect(withKey.find('mistralai/large')).toMatchObject({ hosted: true, upstream: 'mistral-large-2512' });
    expect(withKey.connection('litellm')).toMatchObject({
      baseUrl: 'http://127.0.0.1:4000/v1',
      concurrency: 4,
    });
    // The price of another provider's model at a gateway is unknown.
    expect(withKey.find('openai/gpt-5-nano')?.prices).toBeUndefined();
    expect(inspect([withKey, withKey.connection('litellm')], { depth: 9 })).not.toContain('secret-word');
    expect(JSON.stringify(withKey.connection('litellm'))).not.toContain('secret-word');
  });

  const model = { id: 'litellm/m' };
  test.each<[string, unknown, string]>([
    ['that is no JSON', '{', 'cannot be read'],
    ['without models', {}, 'models'],
    [
      'with an id without a provider',
      { models: [{ id: 'gpt' }] },
      'models.0.id: Must have the form provider/name',
    ],
    ['with a field nobody knows', { models: [{ id: 'a/b', price: 1 }] }, 'price'],
    ['with half a price', { models: [{ id: 'a/b', prices: { input: 1 } }] }, 'models.0.prices.output'],
    [
      'with a price below nothing',
      { models: [{ id: 'a/b', prices: { input: -1, output: 1 } }] },
      'prices.input',
    ],
    ['with a model twice', { models: [model, model] }, 'litellm/m is there twice'],
    ['with a connection twice', { connections: [litellm, litellm], models: [] }, 'litellm is there twice'],
    ['with a connection nobody describes', { models: [{ ...model, connection: 'x' }] }, 'the connection x'],
    ['with another wire', { connections: [{ ...litellm, wire: 'grpc' }], models: [] }, 'connections.0.wire'],
    [
      'with another protocol',
      { connections: [{ ...litellm, baseUrl: 'file:///x' }], models: [] },
      'http or https',
    ],
    [
      'with a key in the URL',
      { connections: [{ ...litellm, baseUrl: 'https://u:secret-word@h/v1' }], models: [] },
      'apiKeyEnv',
    ],
    [
      'with a key itself',
      { connections: [{ ...litellm, apiKeyEnv: 'sk-secret-word' }], models: [] },
      'apiKeyEnv',
    ],
    [
      'that sends away a setting of ours',
      { connections: [{ ...litellm, apiKeyEnv: 'DRYDOCK_MASTER_KEY' }], models: [] },
      'not sent to providers',
    ],
    [
      'with an access key and no secret',
      { connections: [{ ...bedrock, apiKeyEnv: undefined }], models: [] },
      'name the variable of the secret access key in apiKeyEnv',
    ],
    [
      'with an access key and no region',
      { connections: [{ ...bedrock, baseUrl: 'http://127.0.0.1:4000' }], models: [] },
      'needs a region',
    ],
    [
      'with a region where none is used',
      { connections: [{ ...litellm, region: 'eu-central-1' }], models: [] },
      'only the wire bedrock uses',
    ],
    ['that takes the name of the offline model', { models: [{ id: 'drydock/rehearsal' }] }, 'offline model'],
    [
      'that connects to the offline model',
      { connections: [{ ...litellm, name: 'drydock' }], models: [] },
      'offline',
    ],
  ])('refuses a file %s', async (_, file, says) => {
    const problem = await catalogOf({ file }).then(
      () => expect.unreachable('it was read'),
      (error: Error) => error,
    );
    expect(problem).toBeInstanceOf(OperatorProblem);
    expect(problem.message).toContain('DRYDOCK_MODELS_FILE');
    expect(problem.message).toContain(says);
    expect(problem.message).not.toContain('secret-word');
  });
});
