import { builtIn, type Wire } from './built-in.ts';
import { free, type Prices } from './cost.ts';
import { Credential } from './credential.ts';
import { awsRegionOf, type ModelsFile, readModelsFile } from './models-file.ts';

/** The offline model, which needs no key and no network. */
export const rehearsalId = 'drydock/rehearsal';

interface ListedModel {
  id: string;
  provider: string;
  name: string;
  /** Runs on a key of this deployment, or needs none. */
  hosted: boolean;
  offline?: true;
  contextLength?: number;
  maxOutputTokens?: number;
  prices?: Prices;
}

export interface CatalogModel extends ListedModel {
  connection: string;
  /** The model's name at the provider. */
  upstream: string;
  /** Whether the model accepts a temperature. */
  temperature: boolean;
}

/** An endpoint for models. */
export interface Connection {
  name: string;
  wire: Wire;
  baseUrl: string;
  credential?: Credential;
  /** For Bedrock. With an access key ID, the credential is the secret access key that signs requests. */
  aws?: { region?: string | undefined; accessKeyId?: string | undefined };
  /** Has no key but needs one. */
  lacksKey: boolean;
  /** Maximum number of concurrent calls. */
  concurrency?: number;
}

/** The models of this deployment and their connections. */
export interface ModelCatalog {
  /** The offline model, then configured models in the order of the file, then built-in ones. */
  list(): ListedModel[];
  find(id: string): CatalogModel | undefined;
  /** A model by its connection and its name there. */
  findUpstream(connection: string, upstream: string): CatalogModel | undefined;
  connection(name: string): Connection | undefined;
  /** Warnings for the operator, one per line. */
  warnings: string[];
}

export interface CatalogSources {
  modelsFile?: string | undefined;
  /** The operator's keys for built-in providers. */
  keys: Record<string, string | undefined>;
  /** Values of the environment variables that connections reference, by name. */
  env: Record<string, string | undefined>;
}

/** Derives the sources of the catalog from the settings. */
export function catalogSources(
  settings: {
    modelsFile?: string | undefined;
    anthropicApiKey?: string | undefined;
    openaiApiKey?: string | undefined;
    geminiApiKey?: string | undefined;
  },
  env: CatalogSources['env'],
): CatalogSources {
  const { modelsFile, anthropicApiKey: anthropic, openaiApiKey: openai, geminiApiKey: google } = settings;
  return { modelsFile, keys: { anthropic, openai, google }, env };
}

export function loadModelCatalog({ modelsFile, keys, env }: CatalogSources): ModelCatalog {
  const file: ModelsFile = modelsFile === undefined ? { models: [] } : readModelsFile(modelsFile);
  const connections = connectionsOf(file, keys, env);
  const written = file.models.map((model) => modelOf(model, connections));
  const ids = new Set(written.map(({ id }) => id));
  const others = file.builtInModels === false ? [] : builtInModels(connections);
  const models = [rehearsal, ...written, ...others.filter(({ id }) => !ids.has(id))];
  const byId = new Map(models.map((model) => [model.id, model]));
  const listed = models.map(asListed);
  return {
    list: () => listed,
    find: (id) => byId.get(id),
    findUpstream: (connection, upstream) =>
      models.find((model) => model.connection === connection && model.upstream === upstream),
    connection: (name) => connections.get(name),
    warnings: (file.connections ?? []).flatMap(({ name, apiKeyEnv, accessKeyIdEnv }) =>
      [apiKeyEnv, accessKeyIdEnv]
        .filter((variable) => variable !== undefined && !env[variable])
        .map((variable) => `The model connection ${name} has no key: ${variable} is not set`),
    ),
  };
}

const rehearsal: CatalogModel = {
  id: rehearsalId,
  provider: 'drydock',
  name: 'Rehearsal (offline, no language model)',
  hosted: true,
  offline: true,
  prices: free,
  connection: 'drydock',
  upstream: 'rehearsal',
  temperature: false,
};

/** The configured connections, and built-in providers without a connection of the same name. */
function connectionsOf(
  file: ModelsFile,
  keys: CatalogSources['keys'],
  env: CatalogSources['env'],
): Map<string, Connection> {
  const connections = new Map<string, Connection>();
  for (const [name, { wire, baseUrl }] of builtIn)
    connections.set(name, { name, wire, baseUrl, ...withKey(keys[name]), lacksKey: !keys[name] });
  for (const entry of file.connections ?? []) {
    const { name, wire, baseUrl, apiKeyEnv, accessKeyIdEnv, region, concurrency } = entry;
    const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
    const accessKeyId = accessKeyIdEnv === undefined ? undefined : env[accessKeyIdEnv];
    connections.set(name, {
      name,
      wire,
      baseUrl,
      ...withKey(key),
      ...(wire === 'bedrock' && { aws: { region: region ?? awsRegionOf(baseUrl), accessKeyId } }),
      lacksKey: (apiKeyEnv !== undefined && !key) || (accessKeyIdEnv !== undefined && !accessKeyId),
      ...(concurrency !== undefined && { concurrency }),
    });
  }
  return connections;
}

function withKey(key: string | undefined): { credential?: Credential } {
  return key ? { credential: new Credential(key) } : {};
}

function builtInModels(connections: Map<string, Connection>): CatalogModel[] {
  return [...builtIn.values()].flatMap(({ models }) => models.map((model) => modelOf(model, connections)));
}

function modelOf(
  { id, connection, model, name, temperature, prices, ...limits }: ModelsFile['models'][number],
  connections: Map<string, Connection>,
): CatalogModel {
  const provider = id.slice(0, id.indexOf('/'));
  const short = id.slice(id.indexOf('/') + 1);
  const known = builtIn.get(provider)?.models.find((one) => one.id === id);
  const at = connections.get(connection ?? provider);
  // Built-in facts about a model apply only if its provider is called directly.
  const facts = connection === undefined || connection === provider ? known : undefined;
  const contextLength = limits.contextLength ?? facts?.contextLength;
  const maxOutputTokens = limits.maxOutputTokens ?? facts?.maxOutputTokens;
  const price = prices ?? facts?.prices ?? (at && isKeyless(at) ? free : undefined);
  return {
    id,
    provider,
    name: name ?? known?.name ?? short,
    hosted: at !== undefined && !at.lacksKey,
    ...(contextLength !== undefined && { contextLength }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(price !== undefined && { prices: price }),
    connection: connection ?? provider,
    upstream: model ?? facts?.model ?? short,
    temperature: temperature ?? facts?.temperature ?? true,
  };
}

/** Whether a connection needs no key. Its models are free unless they have a price. */
export function isKeyless({ credential, lacksKey }: Connection): boolean {
  return credential === undefined && !lacksKey;
}

function asListed({ connection: _, upstream: _u, temperature: _t, ...listed }: CatalogModel): ListedModel {
  return listed;
}
