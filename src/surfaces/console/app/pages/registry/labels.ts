import { DrydockError } from '../../../../client/index.ts';
import type { Input, Output } from '../../api/index.ts';
import type { Kind, RegistrySearch } from './address.ts';

export type Entry = Output<'getRegistryDirectoryServer'>;
export type Card = Output<'listRegistryServers'>['items'][number];

export const kindLabels: Record<Kind, string> = {
  remote: 'hosted',
  fixed: 'one URL',
  options: 'several URLs',
  tenant: 'your own URL',
  package: 'a package',
};

const tiers: Record<string, string> = {
  bundled: 'built in',
  namespace: 'publisher verified by the source',
  unverified: 'publisher not verified',
};

export function tierText(tier: string | undefined): string {
  return tiers[tier ?? 'unverified'] ?? tier ?? '';
}

export function tierWord(tier: string | undefined): string | undefined {
  if (tier === 'bundled') return undefined;
  return tier === 'namespace' ? 'publisher verified' : 'not verified';
}

const postures: Record<string, string> = {
  header: 'Needs headers',
  environment: 'Needs environment variables',
  none: 'No configuration',
  undeclared: 'unknown',
};

export function configurationLabel(posture: string | undefined): string {
  return postures[posture ?? 'undeclared'] ?? posture ?? '';
}

export function titleOf({ displayName, serverName }: Entry): string {
  return displayName ?? serverName;
}

export function askedOf({ q, source, kind, installable }: RegistrySearch): Input<'searchRegistryDirectory'> {
  const byRow = kind === 'remote' || kind === 'package';
  return {
    limit: 50,
    ...(q !== undefined && { q }),
    ...(source !== undefined && { source }),
    ...(kind !== undefined && (byRow ? { rowType: kind } : { endpointKind: kind })),
    ...(installable && { connectableOnly: 'true' as const }),
  };
}

/** The service's error code for a refused install. */
export function refusalOf(error: unknown): string | undefined {
  const code = error instanceof DrydockError ? error.details['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
