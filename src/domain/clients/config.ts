import { createHash } from 'node:crypto';
import { sortKeys } from '../../platform/canonical.ts';

export type Config = Record<string, unknown>;

/** What a field is when nobody says so. */
const defaults: Config = {
  hostStyle: 'drydock',
  systemPrompt: '',
  temperature: 0.7,
  requireToolApproval: false,
  serverIds: [],
  optionalServerIds: [],
  connectionDefaults: { headers: {}, requestTimeout: 10_000 },
  clientCapabilities: {},
  hostContext: {},
};

/** Fields that are absent rather than this. */
const silent: Config = {
  respectToolVisibility: true,
  progressiveToolDiscovery: false,
  builtInToolIds: [],
  skillSelection: { mode: 'all-visible' },
  serverConnectionOverrides: {},
};

const order = ['schemaVersion', 'hostStyle', 'modelId', ...Object.keys(defaults).slice(1)];

/**
 * The one form of a configuration: defaults filled in, lists of ids sorted, keys in order. Two ways to write the same
 * settings have the same form.
 */
export function canonicalConfig(written: Config): Config {
  const { id: _id, schemaVersion: _schemaVersion, ...given } = withoutNulls(written);
  const config: Config = { ...defaults, ...given };
  config['serverIds'] = idList(config['serverIds']);
  const required = new Set(config['serverIds'] as string[]);
  config['optionalServerIds'] = idList(config['optionalServerIds']).filter((id) => !required.has(id));
  if (Array.isArray(config['builtInToolIds'])) config['builtInToolIds'] = idList(config['builtInToolIds']);
  config['skillSelection'] = withIdList(config['skillSelection']);
  config['mcpProfile'] = withVersions(config['mcpProfile']);
  config['serverConnectionOverrides'] = overridesFor(config['serverConnectionOverrides'], [
    ...required,
    ...(config['optionalServerIds'] as string[]),
  ]);
  const canonical = sortKeys(withoutNulls(config)) as Config;
  for (const [name, value] of Object.entries(silent))
    if (JSON.stringify(canonical[name]) === JSON.stringify(sortKeys(value))) delete canonical[name];
  const known = order.filter((name) => name in canonical).map((name) => [name, canonical[name]] as const);
  return { schemaVersion: 2, ...Object.fromEntries(known), ...canonical };
}

export function configIdOf(canonical: Config): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(canonical)))
    .digest('hex');
}

/** The servers a configuration names, required ones first. */
export function serversIn(config: Config): { required: string[]; optional: string[] } {
  return { required: idList(config['serverIds']), optional: idList(config['optionalServerIds']) };
}

function idList(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))].sort() : [];
}

function withIdList(selection: unknown): unknown {
  if (typeof selection !== 'object' || selection === null || !('skillIds' in selection)) return selection;
  return { ...selection, skillIds: idList(selection.skillIds) };
}

/** One pinned revision says which are supported, unless it is among those that are named. */
function withVersions(profile: unknown): unknown {
  if (typeof profile !== 'object' || profile === null) return profile;
  const { mcpProtocolVersion: pinned, supportedProtocolVersions: named } = profile as Config;
  if (typeof pinned !== 'string' || pinned === 'auto' || (Array.isArray(named) && named.includes(pinned)))
    return profile;
  return { ...profile, supportedProtocolVersions: [pinned] };
}

/** What is said about a server that is not there says nothing. */
function overridesFor(overrides: unknown, serverIds: string[]): unknown {
  if (typeof overrides !== 'object' || overrides === null) return overrides;
  return Object.fromEntries(Object.entries(overrides).filter(([id]) => serverIds.includes(id)));
}

function withoutNulls(fields: Config): Config {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
