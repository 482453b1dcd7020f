/** A scenario of the official suite that works with any server. */
export interface Scenario {
  id: string;
  title: string;
  section: string;
  /** The capability that the scenario requires. */
  capability?: string;
  /** Applies to servers on this machine only. */
  loopbackOnly?: true;
}

const toolsList = { id: 'tools-list', title: 'Listing tools', section: 'server/tools', capability: 'tools' };
const resourcesList = {
  id: 'resources-list',
  title: 'Listing resources',
  section: 'server/resources',
  capability: 'resources',
};
const promptsList = {
  id: 'prompts-list',
  title: 'Listing prompts',
  section: 'server/prompts',
  capability: 'prompts',
};
const dnsRebinding: Scenario = {
  id: 'dns-rebinding-protection',
  title: 'Protection against DNS rebinding',
  section: 'basic/transports',
  loopbackOnly: true,
};
const streams = {
  id: 'server-sse-multiple-streams',
  title: 'Concurrent streams',
  section: 'basic/transports',
  capability: 'tools',
};

export const handshake: Scenario = {
  id: 'server-initialize',
  title: 'Initialization',
  section: 'basic/lifecycle',
};

const legacy: readonly Scenario[] = [
  handshake,
  { id: 'ping', title: 'Ping', section: 'basic/utilities/ping' },
  {
    id: 'logging-set-level',
    title: 'Log level',
    section: 'server/utilities/logging',
    capability: 'logging',
  },
  toolsList,
  resourcesList,
  promptsList,
  dnsRebinding,
  streams,
];

const modern: readonly Scenario[] = [
  { id: 'server-stateless', title: 'Stateless discovery and requests', section: 'basic/lifecycle' },
  toolsList,
  resourcesList,
  promptsList,
  { id: 'caching', title: 'Cache hints', section: 'basic/utilities/caching' },
  {
    id: 'http-header-validation',
    title: 'Header validation',
    section: 'basic/transports',
    capability: 'tools',
  },
  {
    id: 'sep-2164-resource-not-found',
    title: 'Resource not found',
    section: 'server/resources',
    capability: 'resources',
  },
  dnsRebinding,
  streams,
];

/** The revisions that the suite supports. */
const newest = '2026-07-28';
const gradable: Record<string, readonly Scenario[]> = {
  '2025-06-18': legacy.filter(({ id }) => id !== dnsRebinding.id && id !== streams.id),
  '2025-11-25': legacy,
  [newest]: modern,
};

export function isGradable(revision: string): boolean {
  return Object.hasOwn(gradable, revision);
}

export const gradableRevisions: readonly string[] = Object.keys(gradable);

export function scenariosOf(revision: string): readonly Scenario[] {
  return Object.hasOwn(gradable, revision) ? (gradable[revision] as readonly Scenario[]) : [];
}

export interface ScenarioContext {
  capabilities: Record<string, unknown>;
  onLoopback: boolean;
}

/** Why a scenario does not apply to a server; undefined if it does. */
export function notApplicable(
  { capability, loopbackOnly }: Scenario,
  { capabilities, onLoopback }: ScenarioContext,
): string | undefined {
  if (capability !== undefined && capabilities[capability] === undefined)
    return `The server does not declare the capability ${capability}`;
  if (loopbackOnly && !onLoopback) return 'Applies to servers on the same machine only';
  return undefined;
}
