import { createHash } from 'node:crypto';
import type { BrowserPolicy } from '../../browser/policy.ts';
import { BrowserToolPolicy } from '../../contract/browser-commands.ts';
import { sortKeys } from '../../platform/canonical.ts';

export type ClientConfig = Record<string, unknown>;

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
 * Canonical form of a configuration: defaults filled in, ID lists and keys sorted, so that equal settings have equal
 * forms. A field without a default is kept even if its value means the same as absence, except for a selection of all
 * skills, which is dropped.
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

/**
 * Restores the key order for display: known fields first, then the others alphabetically. The database does not
 * preserve order.
 */
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

/**
 * Undefined if the value is invalid: configurations stored before this field existed may hold anything under its
 * name.
 */
export function browserPolicyOf({ browserPolicy }: ClientConfig): BrowserPolicy | undefined {
  return BrowserToolPolicy.safeParse(browserPolicy).data;
}

/** The IDs of the servers a configuration names, each list sorted. */
export function serversIn(config: ClientConfig): { required: string[]; optional: string[] } {
  return { required: idList(config['serverIds']), optional: idList(config['optionalServerIds']) };
}

function idList(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))].sort() : [];
}

/** A selection with everything visible is equal to no selection. */
function selectionOf(selection: unknown): unknown {
  if (typeof selection !== 'object' || selection === null) return selection;
  if ('skillIds' in selection) return { ...selection, skillIds: idList(selection.skillIds) };
  return 'mode' in selection && selection.mode === 'all-visible' ? undefined : selection;
}

/** A pinned revision becomes the only supported one, unless the listed revisions include it. */
function withVersions(profile: unknown): unknown {
  if (!isObject(profile)) return profile;
  const { mcpProtocolVersion: pinned, initialize = {} } = profile;
  if (typeof pinned !== 'string' || pinned === 'auto' || !isObject(initialize)) return profile;
  const { supportedProtocolVersions: named } = initialize;
  if (Array.isArray(named) && named.includes(pinned)) return profile;
  return { ...profile, initialize: { ...initialize, supportedProtocolVersions: [pinned] } };
}

/** Drops overrides for servers the configuration does not name. */
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
