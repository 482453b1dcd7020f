import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { OperatorProblem } from '../problem.ts';
import { type Config, type SettingName, settings } from './settings.ts';

export interface LoadedConfig {
  config: Config;
  /** Where each value came from. */
  sources: Record<SettingName, 'environment' | 'file' | 'default'>;
  /** Names that look like settings and are none. */
  unknown: string[];
}

const fileVariable = 'DRYDOCK_CONFIG_FILE';
const defaultFile = 'drydock.config.json';

/** Environment before file before default. The file is JSON with the names of `settings` as keys. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): LoadedConfig {
  const file = readFile(env);
  const config: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  for (const [name, { env: variable, schema }] of Object.entries(settings)) {
    const fromEnv = env[variable] === '' ? undefined : env[variable];
    const value = fromEnv ?? file[name];
    sources[name] = fromEnv !== undefined ? 'environment' : value !== undefined ? 'file' : 'default';
    const parsed = schema.safeParse(value);
    // The value itself is left out: it may be a secret.
    if (!parsed.success)
      throw new OperatorProblem(`${variable} is not usable: ${parsed.error.issues[0]?.message}`);
    config[name] = parsed.data;
  }
  const known = new Set([fileVariable, ...Object.values(settings).map((entry) => entry.env)]);
  const unknown = [
    ...Object.keys(env).filter(
      (name) => name.startsWith('DRYDOCK_') && !name.startsWith('DRYDOCK_TEST_') && !known.has(name),
    ),
    ...Object.keys(file).filter((name) => !(name in settings)),
  ];
  return { config: config as Config, sources: sources as LoadedConfig['sources'], unknown };
}

function readFile(env: NodeJS.ProcessEnv): Record<string, unknown> {
  const path = env[fileVariable] ?? defaultFile;
  if (!env[fileVariable] && !existsSync(path)) return {};
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return content as Record<string, unknown>;
  } catch (error) {
    throw new OperatorProblem(`The configuration file ${path} cannot be read: ${(error as Error).message}`);
  }
  throw new OperatorProblem(`The configuration file ${path} must hold one JSON object`);
}

function listensOnLoopback(config: Config): boolean {
  return (
    config.host === 'localhost' ||
    config.host === '::1' ||
    (isIP(config.host) === 4 && config.host.startsWith('127.'))
  );
}

/** Stdio servers run commands on the operator's machine: by default only where nobody else can ask for it. */
export function stdioAllowed(config: Config): boolean {
  return config.allowStdio ?? listensOnLoopback(config);
}

/** Where saved servers may be. Naming networks replaces the default, which trusts whoever can reach loopback. */
export function addressPolicy(config: Config): { local: boolean; networks: readonly string[] } {
  const { allowedNetworks } = config;
  return {
    local: allowedNetworks === undefined && listensOnLoopback(config),
    networks: allowedNetworks ?? [],
  };
}
