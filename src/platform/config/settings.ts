import { resolve } from 'node:path';
import { z } from 'zod';
import { commandSettings } from './command-settings.ts';
import { signInSettings } from './sign-in-settings.ts';
import {
  databaseUrl,
  hasCredentials,
  networks,
  port,
  providerKey,
  rateLimit,
  registrySources,
  setting,
} from './values.ts';

/** All settings, in the order in which `drydock config` and the documentation show them. */
export const settings = {
  host: setting({
    env: 'DRYDOCK_HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    meaning: 'Address to listen on. Any other than loopback exposes the service.',
  }),
  port: setting({
    env: 'DRYDOCK_PORT',
    schema: port.default(4700),
    meaning: 'Port to listen on; 0 picks a free one.',
  }),
  workerPort: setting({
    env: 'DRYDOCK_WORKER_PORT',
    schema: port.optional(),
    fallback: 'none',
    meaning: 'Port on which `drydock worker` answers /healthz, /readyz and /metrics; 0 picks a free one.',
  }),
  replicaHost: setting({
    env: 'DRYDOCK_REPLICA_HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    meaning:
      'Address of this machine for connections from other replicas (tunnel traffic). Use a private address.',
  }),
  replicaPort: setting({
    env: 'DRYDOCK_REPLICA_PORT',
    schema: port.default(0),
    meaning: 'Port for other replicas; 0 picks a free one.',
  }),
  publicUrl: setting({
    env: 'DRYDOCK_PUBLIC_URL',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    fallback: 'the address it listens on',
    meaning: 'Public URL of the service, without /api/v1.',
  }),
  tlsCert: setting({
    env: 'DRYDOCK_TLS_CERT',
    schema: z.string().min(1).optional(),
    fallback: 'none: HTTP',
    meaning: 'PEM file with the TLS certificate of the service; reloaded when it changes.',
  }),
  tlsKey: setting({
    env: 'DRYDOCK_TLS_KEY',
    schema: z.string().min(1).optional(),
    fallback: 'none',
    meaning: 'PEM file with the private key of the certificate.',
  }),
  dataDir: setting({
    env: 'DRYDOCK_DATA_DIR',
    // Made absolute, because the database runs in a different working directory.
    schema: z
      .string()
      .min(1)
      .default('.drydock')
      .transform((path) => resolve(path)),
    fallback: '.drydock',
    meaning: 'Folder for the embedded database, blobs and the master key.',
  }),
  trustedProxies: setting({
    env: 'DRYDOCK_TRUSTED_PROXIES',
    schema: networks.optional(),
    fallback: 'none',
    meaning:
      'Addresses or networks of trusted reverse proxies, like 127.0.0.1 or 10.1.0.0/16, whose X-Forwarded-… headers are used.',
  }),
  databaseUrl: setting({
    env: 'DRYDOCK_DATABASE_URL',
    schema: databaseUrl.optional(),
    fallback: 'embedded PostgreSQL in the data directory',
    meaning:
      'URL of PostgreSQL 15 or later to use instead of the embedded one. With several comma-separated hosts, the primary is detected, and a failover is followed.',
    secret: true,
  }),
  databaseDirectUrl: setting({
    env: 'DRYDOCK_DATABASE_DIRECT_URL',
    schema: databaseUrl.optional(),
    fallback: 'as DRYDOCK_DATABASE_URL',
    meaning:
      'URL of the same database without a connection pooler, for listeners, migrations and backups, which need a session.',
    secret: true,
  }),
  databasePool: setting({
    env: 'DRYDOCK_DATABASE_POOL',
    schema: z.coerce.number().int().min(2).max(200).default(10),
    meaning: 'Maximum database connections per process.',
  }),
  bootstrapKey: setting({
    env: 'DRYDOCK_BOOTSTRAP_KEY',
    schema: z
      .string()
      .regex(/^sk_[A-Za-z0-9_-]{32,200}$/, 'Must be sk_ followed by 32 to 200 letters, digits, _ or -')
      .optional(),
    fallback: 'random, printed once',
    meaning: 'API key to create at the first start, for automation; it is never printed.',
    secret: true,
  }),
  masterKey: setting({
    env: 'DRYDOCK_MASTER_KEY',
    schema: z.string().min(1).optional(),
    fallback: 'the file master.key in the data directory',
    meaning:
      'Key that encrypts stored secrets: 64 hex digits. During a rotation: the new key, a comma and the old key.',
    secret: true,
  }),
  rateLimit: setting({
    env: 'DRYDOCK_RATE_LIMIT',
    schema: rateLimit.prefault('60/10'),
    meaning: 'Rate limit per API key: perMinute/burst, or off.',
  }),
  consoleRateLimit: setting({
    env: 'DRYDOCK_CONSOLE_RATE_LIMIT',
    schema: rateLimit.prefault('600/200'),
    meaning: 'Rate limit per console session: perMinute/burst, or off.',
  }),
  maxConcurrentEvalRuns: setting({
    env: 'DRYDOCK_MAX_CONCURRENT_EVAL_RUNS',
    schema: z.coerce.number().int().min(1).default(2),
    meaning: 'Maximum concurrent eval runs per organization, unless its plan sets another limit.',
  }),
  maxConcurrentChatTurns: setting({
    env: 'DRYDOCK_MAX_CONCURRENT_CHAT_TURNS',
    schema: z.coerce.number().int().min(1).default(4),
    meaning: 'Maximum concurrent chat turns per organization, unless its plan sets another limit.',
  }),
  evalTrials: setting({
    env: 'DRYDOCK_EVAL_TRIALS',
    schema: z.coerce.number().int().min(1).max(1000).default(20),
    meaning: 'Maximum concurrent trials of eval runs per process.',
  }),
  evalTrialsTotal: setting({
    env: 'DRYDOCK_EVAL_TRIALS_TOTAL',
    schema: z.coerce.number().int().min(1).max(100_000).default(100),
    meaning: 'Maximum concurrent trials over all processes.',
  }),
  evalServerTrials: setting({
    env: 'DRYDOCK_EVAL_SERVER_TRIALS',
    schema: z.coerce.number().int().min(1).max(10_000).default(20),
    meaning: 'Maximum concurrent trials per MCP server, over all processes.',
  }),
  modelConcurrency: setting({
    env: 'DRYDOCK_MODEL_CONCURRENCY',
    schema: z.coerce.number().int().min(1).max(10_000).default(40),
    meaning:
      'Maximum concurrent calls per model, over all processes, unless its connection in the models file sets another limit.',
  }),
  maxModelCalls: setting({
    env: 'DRYDOCK_MAX_MODEL_CALLS',
    schema: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
    meaning: 'Maximum prompts per eval run.',
  }),
  agentModel: setting({
    env: 'DRYDOCK_AGENT_MODEL',
    schema: z.string().trim().min(1).max(300).optional(),
    fallback: 'the offline model if no other is hosted',
    meaning:
      'Hosted model of the agent, as provider/name. Required if other models are hosted; without it, agent turns are refused.',
  }),
  agentTimeout: setting({
    env: 'DRYDOCK_AGENT_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(600).default(90),
    meaning: 'Timeout of an agent turn in seconds.',
  }),
  personaModel: setting({
    env: 'DRYDOCK_PERSONA_MODEL',
    schema: z.string().trim().min(1).max(300).optional(),
    fallback: 'the first hosted language model; templates without one',
    meaning: 'Hosted model for the personas of journeys, as provider/name.',
  }),
  journeySessions: setting({
    env: 'DRYDOCK_JOURNEY_SESSIONS',
    schema: z.coerce.number().int().min(1).max(1000).default(24),
    meaning: 'Maximum concurrent journey sessions per process.',
  }),
  journeySilence: setting({
    env: 'DRYDOCK_JOURNEY_SILENCE',
    schema: z.coerce.number().int().min(10).max(604_800).default(900),
    meaning: 'Seconds without progress after which a journey run is ended as stale.',
  }),
  evalTrialTimeout: setting({
    env: 'DRYDOCK_EVAL_TRIAL_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(86_400).default(600),
    meaning: 'Timeout of a trial in seconds.',
  }),
  evalLease: setting({
    env: 'DRYDOCK_EVAL_LEASE',
    schema: z.coerce.number().int().min(1).max(600).default(15),
    meaning: 'Seconds after which the trials of an unresponsive process are restarted by another one.',
  }),
  evalRunTimeout: setting({
    env: 'DRYDOCK_EVAL_RUN_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(604_800).default(3600),
    meaning: 'Timeout of an eval run in seconds.',
  }),
  maxRequests: setting({
    env: 'DRYDOCK_MAX_REQUESTS',
    schema: z.coerce.number().int().min(1).max(100_000).optional(),
    fallback: 'one per 256 KiB of heap, at most 2,000',
    meaning:
      'Maximum concurrent requests per process; more get 503. Event streams have a separate limit of the same size.',
  }),
  bodyLimit: setting({
    env: 'DRYDOCK_BODY_LIMIT',
    schema: z.coerce.number().int().min(1024).default(1_048_576),
    meaning: 'Maximum JSON request body in bytes.',
  }),
  artifactLimit: setting({
    env: 'DRYDOCK_ARTIFACT_LIMIT',
    schema: z.coerce
      .number()
      .int()
      .min(1)
      .max(20 * 1_048_576)
      .default(20 * 1_048_576),
    meaning: 'Maximum artifact of an eval run in bytes, at most 20 MiB.',
  }),
  ...commandSettings,
  allowedNetworks: setting({
    env: 'DRYDOCK_ALLOWED_NETWORKS',
    schema: networks.optional(),
    fallback: 'loopback and private networks if the service is reachable from this machine only',
    meaning:
      'Networks and addresses that MCP servers and browser sessions may use in addition to public ones, like 10.1.0.0/16,fd00::/8,192.168.1.7.',
  }),
  warmConnections: setting({
    env: 'DRYDOCK_WARM_CONNECTIONS',
    schema: z.coerce.number().int().min(1).max(100_000).default(256),
    meaning: 'Maximum open connections to MCP servers per process.',
  }),
  warmProcesses: setting({
    env: 'DRYDOCK_WARM_PROCESSES',
    schema: z.coerce.number().int().min(1).max(10_000).default(16),
    meaning: 'Maximum number of running stdio server commands per Drydock process.',
  }),
  warmSeconds: setting({
    env: 'DRYDOCK_WARM_SECONDS',
    schema: z.coerce.number().int().min(1).max(86_400).default(300),
    meaning: 'Seconds after which an unused connection to an MCP server is closed.',
  }),
  browser: setting({
    env: 'DRYDOCK_BROWSER',
    schema: z
      .string()
      .regex(
        /^(?:off|\/.+|[A-Za-z]:[\\/].+|(?:wss?|https?):\/\/[^\s@]+)$/,
        'Must be the full path of a Chromium, the URL of a remote one (ws://… or http://…), or off',
      )
      .optional(),
    fallback: 'the Chromium of this machine, or off if there is none',
    meaning:
      'Chromium for browser sessions: its path, the DevTools URL of a remote one, or off; see browsers.md.',
    secret: true,
  }),
  browserSessions: setting({
    env: 'DRYDOCK_BROWSER_SESSIONS',
    schema: z.coerce.number().int().min(1).max(200).default(8),
    meaning: 'Maximum open browser sessions per process.',
  }),
  anthropicApiKey: setting({
    env: 'ANTHROPIC_API_KEY',
    schema: providerKey.optional(),
    fallback: 'none',
    meaning: 'API key for the hosted models of Anthropic.',
    secret: true,
  }),
  openaiApiKey: setting({
    env: 'OPENAI_API_KEY',
    schema: providerKey.optional(),
    fallback: 'none',
    meaning: 'API key for the hosted models of OpenAI.',
    secret: true,
  }),
  geminiApiKey: setting({
    env: 'GEMINI_API_KEY',
    schema: providerKey.optional(),
    fallback: 'none',
    meaning: 'API key for the hosted models of Google in the models file.',
    secret: true,
  }),
  modelsFile: setting({
    env: 'DRYDOCK_MODELS_FILE',
    schema: z.string().min(1).optional(),
    fallback: 'the offline model and the models of Anthropic and OpenAI',
    meaning: 'JSON file with further models and their connections; see models.md.',
  }),
  registrySources: setting({
    env: 'DRYDOCK_REGISTRY_SOURCES',
    schema: registrySources.prefault('bundled'),
    fallback: 'bundled',
    meaning:
      'Comma-separated sources of the server directory, synced hourly: bundled, name=URL of a registry, or name=FILE with server.json entries; see registry.md.',
  }),
  blobsUrl: setting({
    env: 'DRYDOCK_BLOBS_URL',
    schema: z
      .url({
        protocol: /^(?:file|s3)$/,
        error: 'Must be a file:// URL, or s3://BUCKET/PREFIX with ?region= and ?endpoint= where needed',
      })
      .refine(
        (url) => !hasCredentials(url),
        'May hold no credentials, since it is shown: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead',
      )
      .optional(),
    fallback: 'the folder blobs in the data directory',
    meaning:
      'Storage of artifacts: a file:// URL, or s3://BUCKET/PREFIX?region=REGION&endpoint=URL for replicas without a shared folder. Credentials come from the usual AWS_… variables.',
  }),
  ...signInSettings,
  logLevel: setting({
    env: 'DRYDOCK_LOG_LEVEL',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    meaning: 'Log level; debug adds a line for every request.',
  }),
  shutdownTimeout: setting({
    env: 'DRYDOCK_SHUTDOWN_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(600).default(20),
    meaning: 'Seconds that requests and jobs have to finish after SIGTERM.',
  }),
  shutdownNotice: setting({
    env: 'DRYDOCK_SHUTDOWN_NOTICE',
    schema: z.coerce.number().min(0).max(60).default(0),
    meaning:
      'Seconds before shutdown in which the service still accepts requests while /readyz reports draining, so that load balancers stop sending new ones.',
  }),
};

type Settings = typeof settings;
export type SettingName = keyof Settings;
export type Config = { [Name in SettingName]: z.output<Settings[Name]['schema']> };
