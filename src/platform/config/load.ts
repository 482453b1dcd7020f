import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { OperatorProblem } from '../problem.ts';
import { type Config, type SettingName, settings } from './settings.ts';
import type { Setting } from './values.ts';

export interface LoadedConfig {
  config: Config;
  /** The source of each value. */
  sources: Record<SettingName, 'environment' | 'file' | 'default'>;
  /** Environment variables that look like settings but are unknown. */
  unknown: string[];
}

const fileVariable = 'DRYDOCK_CONFIG_FILE';
/** Variables that choose the service a command talks to. The service does not read them. */
const ofCommands = ['DRYDOCK_URL', 'DRYDOCK_API_KEY', 'DRYDOCK_PROFILE', 'DRYDOCK_PROJECT'];
const defaultFile = 'drydock.config.json';

/**
 * Loads the settings: environment variables override the file, which overrides defaults. The file is JSON with the
 * names in `settings` as keys.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): LoadedConfig {
  const file = readFile(env);
  const config: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  for (const [name, { env: variable, schema }] of Object.entries(settings)) {
    const fromEnv = env[variable] === '' ? undefined : env[variable];
    const value = fromEnv ?? file[name];
    sources[name] = fromEnv !== undefined ? 'environment' : value !== undefined ? 'file' : 'default';
    const parsed = schema.safeParse(value);
    // The error leaves out the value, which may be a secret.
    if (!parsed.success)
      throw new OperatorProblem(`${variable} is not valid: ${parsed.error.issues[0]?.message}`);
    config[name] = parsed.data;
  }
  const known = new Set([fileVariable, ...ofCommands, ...Object.values(settings).map((entry) => entry.env)]);
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
  throw new OperatorProblem(`The configuration file ${path} must contain one JSON object`);
}

/** The URL at which this machine reaches the service. */
export function addressOf({ host, port, tlsCert }: Pick<Config, 'host' | 'port'> & Partial<Config>): string {
  const reachable = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function listensOnLoopback({ host }: Config): boolean {
  return isLoopback(host);
}

/** The settings by which others than the local user can reach the service. */
export function exposures(config: Config): string[] {
  const { host, publicUrl } = config;
  const reached = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return [
    ...(listensOnLoopback(config) ? [] : [`it listens on ${host} (DRYDOCK_HOST)`]),
    ...(reached === undefined || isLoopback(reached)
      ? []
      : [`it is reached at ${reached} (DRYDOCK_PUBLIC_URL)`]),
  ];
}

export function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|::1|\[::1\])$/i.test(host) || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Formats a value for display in one line. Secrets are shown as `(set)`. */
export function shownSetting(name: SettingName, value: Config[SettingName]): string {
  const { fallback, secret } = settings[name] as Setting;
  if (value === undefined) return /rateLimit$/i.test(name) ? 'off' : `(${fallback ?? 'unset'})`;
  if (secret) return '(set)';
  if (typeof value === 'object' && 'perMinute' in value) return `${value.perMinute}/${value.burst}`;
  if (name === 'registrySources') return shownSources(value as Config['registrySources']);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function shownSources(sources: Config['registrySources']): string {
  const items = sources.map(({ name, kind, location }) =>
    kind === 'bundled' ? name : `${name}=${location}`,
  );
  return items.length === 0 ? 'off' : items.join(',');
}
