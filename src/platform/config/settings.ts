import { resolve } from 'node:path';
import { z } from 'zod';
import { commandSettings } from './command-settings.ts';
import { setting } from './setting.ts';
import {
  databaseUrl,
  hasCredentials,
  networks,
  port,
  providerKey,
  rateLimit,
  registrySources,
} from './values.ts';

/** Everything an operator can set, in the order `drydock config` and the documentation show it. */
export const settings = {
  host: setting({
    env: 'DRYDOCK_HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    meaning: 'Address to listen on. Anything but loopback exposes the service.',
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
      'Address of this machine at which other replicas on the same database reach this one, for tunnels. Keep it inside the own network.',
  }),
  replicaPort: setting({
    env: 'DRYDOCK_REPLICA_PORT',
    schema: port.default(0),
    meaning: 'Port there; 0 picks a free one.',
  }),
  publicUrl: setting({
    env: 'DRYDOCK_PUBLIC_URL',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    fallback: 'the address it listens on',
    meaning: 'Address the service is reached at from outside, without /api/v1.',
  }),
  tlsCert: setting({
    env: 'DRYDOCK_TLS_CERT',
    schema: z.string().min(1).optional(),
    fallback: 'none: it speaks HTTP',
    meaning: 'PEM file with the certificate that the service speaks HTTPS with; read again when it changes.',
  }),
  tlsKey: setting({
    env: 'DRYDOCK_TLS_KEY',
    schema: z.string().min(1).optional(),
    fallback: 'none',
    meaning: 'PEM file with the private key of the certificate.',
  }),
  dataDir: setting({
    env: 'DRYDOCK_DATA_DIR',
    // Absolute from here on: the database runs in a folder of its own.
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
      'Addresses or networks of proxies in front, like 127.0.0.1 or 10.1.0.0/16: what they say in X-Forwarded-… about where a request comes from is believed.',
  }),
  databaseUrl: setting({
    env: 'DRYDOCK_DATABASE_URL',
    schema: databaseUrl.optional(),
    fallback: 'embedded PostgreSQL in the data directory',
    meaning:
      'PostgreSQL 15 or later to use instead of the embedded one. Of several hosts, with commas between them, the one that takes writes is found and followed.',
    secret: true,
  }),
  databaseDirectUrl: setting({
    env: 'DRYDOCK_DATABASE_DIRECT_URL',
    schema: databaseUrl.optional(),
    fallback: 'as DRYDOCK_DATABASE_URL',
    meaning:
      'The same database without the pooler that DRYDOCK_DATABASE_URL leads through, for what needs a session: listeners, migrations, backups.',
    secret: true,
  }),
  databasePool: setting({
    env: 'DRYDOCK_DATABASE_POOL',
    schema: z.coerce.number().int().min(2).max(200).default(10),
    meaning: 'Database connections one process may hold.',
  }),
  bootstrapKey: setting({
    env: 'DRYDOCK_BOOTSTRAP_KEY',
    schema: z
      .string()
      .regex(/^sk_[A-Za-z0-9_-]{32,200}$/, 'Must start with sk_ and go on with 32 or more letters and digits')
      .optional(),
    fallback: 'random, printed once',
    meaning: 'API key to create on the first boot, for automation; it is never printed.',
    secret: true,
  }),
  masterKey: setting({
    env: 'DRYDOCK_MASTER_KEY',
    schema: z.string().min(1).optional(),
    fallback: 'the file master.key in the data directory',
    meaning:
      'Key that encrypts stored secrets: 64 hex digits. While rotating, the new key, a comma and the old one.',
    secret: true,
  }),
  rateLimit: setting({
    env: 'DRYDOCK_RATE_LIMIT',
    schema: rateLimit.prefault('60/10'),
    meaning: 'Requests a key may make: perMinute/burst, or off.',
  }),
  consoleRateLimit: setting({
    env: 'DRYDOCK_CONSOLE_RATE_LIMIT',
    schema: rateLimit.prefault('600/200'),
    meaning: 'Requests that a session in the console may make: perMinute/burst, or off.',
  }),
  maxConcurrentEvalRuns: setting({
    env: 'DRYDOCK_MAX_CONCURRENT_EVAL_RUNS',
    schema: z.coerce.number().int().min(1).default(2),
    meaning: 'Eval runs at once per organization, unless its plan says otherwise.',
  }),
  maxConcurrentChatTurns: setting({
    env: 'DRYDOCK_MAX_CONCURRENT_CHAT_TURNS',
    schema: z.coerce.number().int().min(1).default(4),
    meaning: 'Chat turns at once per organization, unless its plan says otherwise.',
  }),
  evalTrials: setting({
    env: 'DRYDOCK_EVAL_TRIALS',
    schema: z.coerce.number().int().min(1).max(1000).default(20),
    meaning: 'Trials of eval runs that one process works on at once.',
  }),
  evalTrialsTotal: setting({
    env: 'DRYDOCK_EVAL_TRIALS_TOTAL',
    schema: z.coerce.number().int().min(1).max(100_000).default(100),
    meaning: 'Trials at once over all processes.',
  }),
  evalServerTrials: setting({
    env: 'DRYDOCK_EVAL_SERVER_TRIALS',
    schema: z.coerce.number().int().min(1).max(10_000).default(20),
    meaning: 'Trials at once that use the same MCP server, over all processes.',
  }),
  modelConcurrency: setting({
    env: 'DRYDOCK_MODEL_CONCURRENCY',
    schema: z.coerce.number().int().min(1).max(10_000).default(40),
    meaning:
      'Calls of one model at once, over all processes, unless its connection in the models file says otherwise.',
  }),
  maxModelCalls: setting({
    env: 'DRYDOCK_MAX_MODEL_CALLS',
    schema: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
    meaning: 'Prompts that one eval run may send to models.',
  }),
  agentModel: setting({
    env: 'DRYDOCK_AGENT_MODEL',
    schema: z.string().trim().min(1).max(300).optional(),
    fallback: 'the offline model, where no other is hosted',
    meaning: 'Hosted model of the agent, as provider/name. Its turns are refused until it is chosen.',
  }),
  agentTimeout: setting({
    env: 'DRYDOCK_AGENT_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(600).default(90),
    meaning: 'Seconds after which a turn of the agent is given up.',
  }),
  personaModel: setting({
    env: 'DRYDOCK_PERSONA_MODEL',
    schema: z.string().trim().min(1).max(300).optional(),
    fallback: 'the first hosted language model; without one, templates',
    meaning: 'Hosted model that plays personas in journeys, as provider/name.',
  }),
  journeySessions: setting({
    env: 'DRYDOCK_JOURNEY_SESSIONS',
    schema: z.coerce.number().int().min(1).max(1000).default(24),
    meaning: 'Sessions of journeys that one process works on at once.',
  }),
  journeySilence: setting({
    env: 'DRYDOCK_JOURNEY_SILENCE',
    schema: z.coerce.number().int().min(10).max(604_800).default(900),
    meaning: 'Seconds after which a journey run that nobody works on is ended as stale.',
  }),
  evalTrialTimeout: setting({
    env: 'DRYDOCK_EVAL_TRIAL_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(86_400).default(600),
    meaning: 'Seconds after which a trial is given up.',
  }),
  evalLease: setting({
    env: 'DRYDOCK_EVAL_LEASE',
    schema: z.coerce.number().int().min(1).max(600).default(15),
    meaning: 'Seconds after which the trials of a process that has gone silent are begun again elsewhere.',
  }),
  evalRunTimeout: setting({
    env: 'DRYDOCK_EVAL_RUN_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(604_800).default(3600),
    meaning: 'Seconds after which an eval run is ended.',
  }),
  maxRequests: setting({
    env: 'DRYDOCK_MAX_REQUESTS',
    schema: z.coerce.number().int().min(1).max(100_000).optional(),
    fallback: 'one for each 256 KiB that the heap may have, 2,000 at most',
    meaning:
      'Requests that one process works on at once; more are answered with 503. Streams are counted apart, by the same bound.',
  }),
  bodyLimit: setting({
    env: 'DRYDOCK_BODY_LIMIT',
    schema: z.coerce.number().int().min(1024).default(1_048_576),
    meaning: 'Largest JSON request body, in bytes.',
  }),
  artifactLimit: setting({
    env: 'DRYDOCK_ARTIFACT_LIMIT',
    schema: z.coerce
      .number()
      .int()
      .min(1)
      .max(20 * 1_048_576)
      .default(20 * 1_048_576),
    meaning: 'Largest artifact of an eval run, in bytes; 20 MiB at most.',
  }),
  ...commandSettings,
  allowedNetworks: setting({
    env: 'DRYDOCK_ALLOWED_NETWORKS',
    schema: networks.optional(),
    fallback: "loopback and private networks, only while the service is one person's",
    meaning:
      'Networks or single addresses that servers, and pages in browsers, may have besides public ones, like 10.1.0.0/16,fd00::/8,192.168.1.7.',
  }),
  warmConnections: setting({
    env: 'DRYDOCK_WARM_CONNECTIONS',
    schema: z.coerce.number().int().min(1).max(100_000).default(256),
    meaning: 'Connections to MCP servers one process keeps open at most.',
  }),
  warmProcesses: setting({
    env: 'DRYDOCK_WARM_PROCESSES',
    schema: z.coerce.number().int().min(1).max(10_000).default(16),
    meaning: 'Commands of stdio servers one process runs at once at most.',
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
        'Write the full path of a Chromium, the address of one that runs elsewhere (ws://… or http://…), or off',
      )
      .optional(),
    fallback: 'the Chromium of this machine; off when there is none',
    meaning:
      'Chromium that browser sessions run in: its path, the DevTools address of one that runs elsewhere, or off; see browsers.md.',
    secret: true,
  }),
  browserSessions: setting({
    env: 'DRYDOCK_BROWSER_SESSIONS',
    schema: z.coerce.number().int().min(1).max(200).default(8),
    meaning: 'Browser sessions that one process has open at once at most.',
  }),
  anthropicApiKey: setting({
    env: 'ANTHROPIC_API_KEY',
    schema: providerKey.optional(),
    fallback: 'none',
    meaning: 'Key that the models of Anthropic are hosted on.',
    secret: true,
  }),
  openaiApiKey: setting({
    env: 'OPENAI_API_KEY',
    schema: providerKey.optional(),
    fallback: 'none',
    meaning: 'Key that the models of OpenAI are hosted on.',
    secret: true,
  }),
  geminiApiKey: setting({
    env: 'GEMINI_API_KEY',
    schema: providerKey.optional(),
    fallback: 'none',
    meaning: 'Key that the models of Google in the models file are hosted on.',
    secret: true,
  }),
  modelsFile: setting({
    env: 'DRYDOCK_MODELS_FILE',
    schema: z.string().min(1).optional(),
    fallback: 'the offline model and the models of Anthropic and OpenAI',
    meaning: 'JSON file with further models and the places they are reached at; see models.md.',
  }),
  registrySources: setting({
    env: 'DRYDOCK_REGISTRY_SOURCES',
    schema: registrySources.prefault('bundled'),
    fallback: 'bundled',
    meaning:
      'What the directory of servers is read from, hourly: bundled, and name=URL of a registry or name=FILE with server.json entries, with commas between them; see registry.md.',
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
      'Where artifacts are stored: a file:// URL, or s3://BUCKET/PREFIX?region=REGION&endpoint=URL for services that share no folder. Credentials come from the usual AWS_… variables.',
  }),
  oidcIssuer: setting({
    env: 'DRYDOCK_OIDC_ISSUER',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    fallback: 'none',
    meaning:
      'OpenID Connect provider that people sign in to the console with; it sends them back to /console/oidc. Over http only on loopback.',
  }),
  oidcClientId: setting({
    env: 'DRYDOCK_OIDC_CLIENT_ID',
    schema: z.string().min(1).max(1000).optional(),
    fallback: 'none',
    meaning: 'As what the provider knows this installation.',
  }),
  oidcClientSecret: setting({
    env: 'DRYDOCK_OIDC_CLIENT_SECRET',
    schema: z.string().min(1).max(4000).optional(),
    fallback: 'none',
    meaning: 'The secret that goes with it, where the provider gave one.',
    secret: true,
  }),
  oidcName: setting({
    env: 'DRYDOCK_OIDC_NAME',
    schema: z.string().min(1).max(60).default('single sign-on'),
    meaning: 'What the button calls the provider.',
  }),
  oidcOrganization: setting({
    env: 'DRYDOCK_OIDC_ORGANIZATION',
    schema: z.string().min(1).max(200).optional(),
    fallback: 'none: only people who have an account or an invitation get in',
    meaning: 'Organization, by id or name, that people whom only the provider knows join as members.',
  }),
  oidcDomains: setting({
    env: 'DRYDOCK_OIDC_DOMAINS',
    schema: z
      .string()
      .transform((value) => value.split(',').map((domain) => domain.trim().toLowerCase()))
      .refine(
        (list) => list.every((domain) => /^[a-z0-9.-]+\.[a-z0-9-]+$/.test(domain)),
        'Write domains like example.com, with commas between them',
      )
      .optional(),
    fallback: 'any',
    meaning: 'Domains of e-mail addresses that may sign in with the provider, like example.com.',
  }),
  smtpUrl: setting({
    env: 'DRYDOCK_SMTP_URL',
    schema: z
      .string()
      .regex(/^smtps?:\/\//, 'Write it as smtps://user:password@host:port')
      .optional(),
    fallback: 'none: administrators copy links',
    meaning: 'Mail server that invitations and links to a new password are sent over.',
    secret: true,
  }),
  mailFrom: setting({
    env: 'DRYDOCK_MAIL_FROM',
    schema: z.string().min(3).max(320).default('Drydock <drydock@localhost>'),
    meaning: 'Whom mail is from.',
  }),
  logLevel: setting({
    env: 'DRYDOCK_LOG_LEVEL',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    meaning: 'How much is logged; debug adds a line for every request.',
  }),
  shutdownTimeout: setting({
    env: 'DRYDOCK_SHUTDOWN_TIMEOUT',
    schema: z.coerce.number().int().min(1).max(600).default(20),
    meaning: 'Seconds that requests and jobs get to finish after SIGTERM.',
  }),
  shutdownNotice: setting({
    env: 'DRYDOCK_SHUTDOWN_NOTICE',
    schema: z.coerce.number().min(0).max(60).default(0),
    meaning:
      'Seconds before that in which a service still takes requests and /readyz says that it is about to end, for a load balancer to hear of it.',
  }),
};

type Settings = typeof settings;
export type SettingName = keyof Settings;
export type Config = { [Name in SettingName]: z.output<Settings[Name]['schema']> };
