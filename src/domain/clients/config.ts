import { createHash } from 'node:crypto';
import type { BrowserPolicy } from '../../browser/policy.ts';
import { BrowserToolPolicy } from '../../contract/browser-commands.ts';
import { sortKeys } from '../../platform/canonical.ts';

export type ClientConfig = Record<string, unknown>;

/** What a field is when nobody says so. */
const defaults: ClientConfig = {
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

const order = ['schemaVersion', 'hostStyle', 'modelId', ...Object.keys(defaults).slice(1)];

/**
 * The one form of a configuration: defaults filled in, lists of ids sorted, keys in order. Two ways to write the same
 * settings have the same form. A field without a default is kept as it was written, also where it says what its absence
 * would mean.
 */
export function canonicalConfig(written: ClientConfig): ClientConfig {
  const { id: _id, schemaVersion: _schemaVersion, ...given } = withoutNulls(written);
  const config: ClientConfig = { ...defaults, ...given };
  config['serverIds'] = idList(config['serverIds']);
  const required = new Set(config['serverIds'] as string[]);
  config['optionalServerIds'] = idList(config['optionalServerIds']).filter((id) => !required.has(id));
  if (Array.isArray(config['builtInToolIds'])) config['builtInToolIds'] = idList(config['builtInToolIds']);
  config['skillSelection'] = selectionOf(config['skillSelection']);
  config['mcpProfile'] = withVersions(config['mcpProfile']);
  config['serverConnectionOverrides'] = overridesFor(config['serverConnectionOverrides'], [
    ...required,
    ...(config['optionalServerIds'] as string[]),
  ]);
  return orderedConfig({ ...withoutNulls(config), schemaVersion: 2 });
}

/** The same with its keys in order. The database keeps the values of a configuration, not the order of its keys. */
export function orderedConfig(config: ClientConfig): ClientConfig {
  const sorted = sortKeys(config) as ClientConfig;
  const known = order.filter((name) => name in sorted).map((name) => [name, sorted[name]] as const);
  return { ...Object.fromEntries(known), ...sorted };
}

export function configIdOf(canonical: ClientConfig): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(canonical)))
    .digest('hex');
}

/** Nothing where a configuration has something else under that name: unknown fields were kept before there was this one. */
export function browserPolicyOf({ browserPolicy }: ClientConfig): BrowserPolicy | undefined {
  return BrowserToolPolicy.safeParse(browserPolicy).data;
}

/** The servers a configuration names, required ones first. */
export function serversIn(config: ClientConfig): { required: string[]; optional: string[] } {
  return { required: idList(config['serverIds']), optional: idList(config['optionalServerIds']) };
}

function idList(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))].sort() : [];
}

/** All that is visible is what a client has without a selection. */
function selectionOf(selection: unknown): unknown {
  if (typeof selection !== 'object' || selection === null) return selection;
  if ('skillIds' in selection) return { ...selection, skillIds: idList(selection.skillIds) };
  return 'mode' in selection && selection.mode === 'all-visible' ? undefined : selection;
}

/** One pinned revision says which are supported, unless it is among those that are named. */
function withVersions(profile: unknown): unknown {
  if (!isObject(profile)) return profile;
  const { mcpProtocolVersion: pinned, initialize = {} } = profile;
  if (typeof pinned !== 'string' || pinned === 'auto' || !isObject(initialize)) return profile;
  const { supportedProtocolVersions: named } = initialize;
  if (Array.isArray(named) && named.includes(pinned)) return profile;
  return { ...profile, initialize: { ...initialize, supportedProtocolVersions: [pinned] } };
}

/** What is said about a server that is not there says nothing. */
function overridesFor(overrides: unknown, serverIds: string[]): unknown {
  if (!isObject(overrides) || Object.keys(overrides).length === 0) return overrides;
  const kept = Object.entries(overrides).filter(([id]) => serverIds.includes(id));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function isObject(value: unknown): value is ClientConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutNulls(fields: ClientConfig): ClientConfig {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
