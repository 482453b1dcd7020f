import { createHash } from 'node:crypto';
import type { Wire } from './built-in.ts';
import { type CatalogModel, type Connection, isKeyless, type ModelCatalog, rehearsalId } from './catalog.ts';
import { free, type Prices } from './cost.ts';
import { Credential } from './credential.ts';

export interface ModelChoice {
  /** `provider/name`, or the provider's own name with `provider`. */
  model: string;
  provider?: string | undefined;
}

/** The connection to a model, and who pays. Safe to log and store, because the credential hides its key. */
export interface ModelRoute {
  /** `provider/name`. */
  id: string;
  provider: string;
  wire: Wire | 'rehearsal';
  /** Undefined for the offline model. */
  baseUrl?: string;
  /** The model's name at the provider. */
  upstream: string;
  credential?: Credential;
  /** For connections to Bedrock. */
  aws?: Connection['aws'];
  billed: 'operator' | 'own-key' | 'free';
  /** Undefined if the price is unknown. */
  prices?: Prices;
  limits: { contextLength?: number; maxOutputTokens?: number; concurrency?: number };
  /** Whether the model accepts a temperature. */
  temperature: boolean;
  /** Identifies the rate limit that calls share: provider, base URL, key and model. Does not reveal the key. */
  pool: string;
}

/** Why a model cannot be used. */
export interface ModelProblem {
  model: string;
  provider: string | undefined;
  /** Models that could be used instead. */
  hostedModels: string[];
  /** The message, with a remedy. */
  message: string;
}

export type ResolvedModel = { route: ModelRoute; problem?: never } | { route?: never; problem: ModelProblem };

/** The caller's own keys, by provider. */
export type ApiKeys = Record<string, string | undefined>;

/** Providers without a list of models: any name is accepted. */
const openProviders = ['custom', 'ollama'];

/**
 * Resolves the route to a model. The caller's key takes precedence over the operator's. A key is sent only to the
 * provider it was given for; for a listed model with another connection, the key must be under the name of that
 * connection.
 */
export function resolveModel(
  catalog: ModelCatalog,
  choice: ModelChoice,
  apiKeys: ApiKeys = {},
): ResolvedModel {
  const listed = listedModel(catalog, choice);
  const provider = choice.provider ?? listed?.provider ?? prefixOf(choice.model);
  const refuse = (message: string): ResolvedModel => ({
    problem: { model: choice.model, provider, hostedModels: hostedModels(catalog, provider), message },
  });
  if (provider === undefined)
    return refuse('The model must have the form provider/name, or send its provider');
  const native = choice.model.startsWith(`${provider}/`)
    ? choice.model.slice(provider.length + 1)
    : choice.model;
  if (!/^[\x21-\x7e]{1,200}$/.test(native)) return refuse('This is not the name of a model');
  if (listed?.id === rehearsalId) return { route: offlineRoute(listed) };

  const own = ownKey(catalog, provider, listed, apiKeys);
  if (own !== undefined) {
    const { key, connection } = own;
    if (!/^[\x21-\x7e]{1,1000}$/.test(key))
      return refuse(`The key for ${connection.name} contains characters that are not allowed in a key`);
    const model =
      listed?.connection === connection.name ? listed : catalog.findUpstream(connection.name, native);
    const credential = new Credential(key);
    const aws = connection.aws && { region: connection.aws.region };
    return { route: routeOf(provider, native, model, { ...connection, credential, aws }, 'own-key') };
  }
  if (keyOf(apiKeys, provider) !== undefined)
    return refuse(`No connection named ${provider}. The operator can add one`);
  if (listed) {
    const connection = catalog.connection(listed.connection);
    if (listed.hosted && connection)
      return { route: routeOf(provider, native, listed, connection, payerOf(connection, listed)) };
    return refuse(
      `This deployment has no key for ${listed.id}. Send a key for ${listed.connection}, or choose a hosted model`,
    );
  }
  const connection = catalog.connection(provider);
  if (openProviders.includes(provider)) {
    if (connection === undefined)
      return refuse(
        `No connection named ${provider}. The operator can add one to the file in DRYDOCK_MODELS_FILE`,
      );
    if (connection.lacksKey) return refuse(`The connection ${provider} of this deployment has no key`);
    return { route: routeOf(provider, native, undefined, connection, payerOf(connection)) };
  }
  return refuse(
    connection
      ? `${provider} does not host ${native} here. Send a key for ${provider}, or choose a hosted model`
      : `${choice.model} is not a model of this deployment. Choose a hosted one`,
  );
}

/** The first language model that this deployment hosts. */
export function hostedRoute(catalog: ModelCatalog): ModelRoute | undefined {
  const hosted = catalog.list().find((model) => model.hosted && !model.offline);
  return hosted && resolveModel(catalog, { model: hosted.id }).route;
}

function listedModel(catalog: ModelCatalog, { model, provider }: ModelChoice): CatalogModel | undefined {
  const listed = catalog.find(model);
  if (listed && (provider === undefined || provider === listed.provider)) return listed;
  // For other providers, a bare name is the provider's own, which requires the caller's key.
  const bare = provider === 'drydock' || openProviders.includes(provider ?? '');
  return bare ? catalog.find(`${provider}/${model}`) : undefined;
}

function ownKey(
  catalog: ModelCatalog,
  provider: string,
  listed: CatalogModel | undefined,
  apiKeys: ApiKeys,
): { key: string; connection: Connection } | undefined {
  for (const name of [provider, listed?.connection]) {
    const connection = name === undefined ? undefined : catalog.connection(name);
    const key = name === undefined ? undefined : keyOf(apiKeys, name);
    if (connection && key !== undefined) return { key, connection };
  }
  return undefined;
}

/** Names come from callers, who could send `constructor`. */
function keyOf(apiKeys: ApiKeys, name: string): string | undefined {
  return Object.hasOwn(apiKeys, name) ? apiKeys[name] : undefined;
}

function payerOf(connection: Connection, model?: CatalogModel): 'operator' | 'free' {
  const priced = model?.prices !== undefined && model.prices !== free;
  return isKeyless(connection) && !priced ? 'free' : 'operator';
}

function routeOf(
  provider: string,
  native: string,
  model: CatalogModel | undefined,
  connection: Omit<Connection, 'aws'> & { aws?: Connection['aws'] | undefined },
  billed: ModelRoute['billed'],
): ModelRoute {
  const { wire, baseUrl, credential, aws, concurrency } = connection;
  const upstream = model?.upstream ?? native;
  const prices = model?.prices ?? (billed === 'free' ? free : undefined);
  return {
    id: model?.id ?? `${provider}/${native}`,
    provider,
    wire,
    baseUrl,
    upstream,
    ...(credential && { credential }),
    ...(aws && { aws }),
    billed,
    ...(prices && { prices }),
    limits: {
      ...(model?.contextLength !== undefined && { contextLength: model.contextLength }),
      ...(model?.maxOutputTokens !== undefined && { maxOutputTokens: model.maxOutputTokens }),
      ...(concurrency !== undefined && { concurrency }),
    },
    temperature: model?.temperature ?? true,
    pool: poolOf(provider, [wire, baseUrl, credential?.reveal(), upstream]),
  };
}

function offlineRoute({ id, provider, upstream }: CatalogModel): ModelRoute {
  return {
    id,
    provider,
    wire: 'rehearsal',
    upstream,
    billed: 'free',
    prices: free,
    limits: {},
    temperature: false,
    pool: poolOf(provider, [upstream]),
  };
}

/** Equal parts give the same pool in every process. */
function poolOf(provider: string, parts: (string | undefined)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${provider}:${hash.slice(0, 32)}`;
}

function prefixOf(model: string): string | undefined {
  const slash = model.indexOf('/');
  return slash > 0 ? model.slice(0, slash) : undefined;
}

/** Hosted models of the provider, or all if the provider is unknown. */
function hostedModels(catalog: ModelCatalog, provider: string | undefined): string[] {
  const models = catalog.list();
  const known =
    provider !== undefined &&
    (catalog.connection(provider) !== undefined || models.some((model) => model.provider === provider));
  return models
    .filter((model) => model.hosted && (!known || model.provider === provider))
    .map(({ id }) => id);
}
