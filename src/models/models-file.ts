import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { OperatorProblem } from '../platform/problem.ts';
import { builtIn, wires } from './built-in.ts';

const price = z.number().min(0).max(1_000_000);

const rates = { input: price, output: price, cacheRead: price.optional(), cacheWrite: price.optional() };

/** Cached tokens cost as much as other input, unless the operator sets a price. */
function withCache<
  Given extends { input: number; cacheRead?: number | undefined; cacheWrite?: number | undefined },
>(given: Given): Given & { cacheRead: number; cacheWrite: number } {
  return { ...given, cacheRead: given.cacheRead ?? given.input, cacheWrite: given.cacheWrite ?? given.input };
}

const Prices = z
  .strictObject({
    ...rates,
    longPrompt: z
      .strictObject({ above: z.number().int().positive(), ...rates })
      .transform(withCache)
      .optional(),
  })
  .transform(withCache);

const variable = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'Must be the name of an environment variable')
  .refine((name) => !name.startsWith('DRYDOCK_'), 'Variables of Drydock are not sent to providers');

const Connection = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,100}$/, 'Must consist of letters, digits, dots, - and _'),
  wire: z.enum(wires),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'Must be an http or https URL' })
    .refine((url) => !hasUserInfo(url), 'A URL must not contain keys. Name a variable in apiKeyEnv')
    .transform((url) => url.replace(/\/+$/, '')),
  apiKeyEnv: variable.optional(),
  accessKeyIdEnv: variable.optional(),
  region: z
    .string()
    .regex(/^[a-z]{2}(?:-[a-z]+)+-\d+$/, 'Must be an AWS region, for example eu-central-1')
    .optional(),
  concurrency: z.number().int().min(1).max(10_000).optional(),
});

type ConnectionEntry = z.output<typeof Connection>;

const Model = z.strictObject({
  id: z
    .string()
    .regex(/^[\w.-]+\/[\w.:-]+$/, 'Must have the form provider/name, for example openai/gpt-5-nano'),
  connection: z.string().optional(),
  model: z.string().min(1).max(200).optional(),
  name: z.string().min(1).optional(),
  contextLength: z.number().int().positive().optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  temperature: z.boolean().optional(),
  prices: Prices.optional(),
});

const ModelsFile = z.strictObject({
  builtInModels: z.boolean().optional(),
  connections: z.array(Connection).max(100).optional(),
  models: z.array(Model).max(1000),
});

export type ModelsFile = z.output<typeof ModelsFile>;

/** Reads and validates the operator's models file. Errors name the invalid part. */
export function readModelsFile(file: string): ModelsFile {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorProblem(`DRYDOCK_MODELS_FILE cannot be read: ${(error as Error).message}`);
  }
  const parsed = ModelsFile.safeParse(content);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw unusable(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  checkReferences(parsed.data);
  return parsed.data;
}

function checkReferences({ connections = [], models }: ModelsFile): void {
  const names = new Set(connections.map(({ name }) => name));
  if (names.size < connections.length)
    throw unusable(`connections: ${firstTwice(connections.map(({ name }) => name))} is there twice`);
  if (names.has('drydock')) throw unusable('connections: drydock is the name of the offline model');
  const ids = models.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw unusable(`models: ${firstTwice(ids)} is there twice`);
  for (const connection of connections) checkAws(connection);
  for (const { id, connection } of models) {
    if (id.startsWith('drydock/')) throw unusable(`models: ${id} is a name of the offline model`);
    if (connection !== undefined && !names.has(connection) && !builtIn.has(connection))
      throw unusable(`models: ${id} uses the connection ${connection}, which is not in connections`);
  }
}

/** Requests to Bedrock are signed for a region with an access key, or carry an API key. */
function checkAws({ name, wire, baseUrl, apiKeyEnv, accessKeyIdEnv, region }: ConnectionEntry): void {
  if (wire !== 'bedrock' && (accessKeyIdEnv ?? region) !== undefined)
    throw unusable(`connections: ${name} has accessKeyIdEnv or region, which only the wire bedrock uses`);
  if (accessKeyIdEnv === undefined) return;
  if (apiKeyEnv === undefined)
    throw unusable(
      `connections: ${name} has accessKeyIdEnv; name the variable of the secret access key in apiKeyEnv`,
    );
  if (region === undefined && awsRegionOf(baseUrl) === undefined)
    throw unusable(`connections: ${name} needs a region, since ${baseUrl} does not name one`);
}

/** The region in an AWS host name, such as bedrock-runtime.eu-central-1.amazonaws.com. */
export function awsRegionOf(baseUrl: string): string | undefined {
  return /^[\w-]+\.([a-z]{2}(?:-[a-z]+)+-\d+)\.amazonaws\.com(?:\.cn)?$/.exec(new URL(baseUrl).hostname)?.[1];
}

function firstTwice(names: string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

function unusable(what: string): OperatorProblem {
  return new OperatorProblem(`DRYDOCK_MODELS_FILE is not valid: ${what}`);
}
