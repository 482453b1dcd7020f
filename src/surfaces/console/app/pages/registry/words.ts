import { DrydockError, type Input, type Output } from '../../../../client/index.ts';
import type { Kind, RegistrySearch } from './address.ts';

export type Entry = Output<'getRegistryDirectoryServer'>;
export type Card = Output<'listRegistryServers'>['items'][number];

export const kindWords: Record<Kind, string> = {
  remote: 'runs somewhere',
  fixed: 'has one address',
  options: 'has several addresses',
  tenant: 'an address of your own',
  package: 'a package',
};

const tiers: Record<string, string> = {
  bundled: 'came with this service',
  namespace: 'its source has checked the publisher',
  unverified: 'nobody has checked the publisher',
};

export function tierWords(tier: string | undefined): string {
  return tiers[tier ?? 'unverified'] ?? tier ?? '';
}

/** The same where many stand below each other. */
export function tierWord(tier: string | undefined): string | undefined {
  if (tier === 'bundled') return undefined;
  return tier === 'namespace' ? 'publisher checked' : 'not verified';
}

const postures: Record<string, string> = {
  header: 'wants headers',
  environment: 'wants variables',
  none: 'wants nothing',
  undeclared: 'not said',
};

/** What a server declares to need of whoever uses it. */
export function postureWords(posture: string | undefined): string {
  return postures[posture ?? 'undeclared'] ?? posture ?? '';
}

export function titleOf({ displayName, serverName }: Entry): string {
  return displayName ?? serverName;
}

/** What the directory is asked for. */
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

/** Why an install was refused, in the word that the service has for it. */
export function refusalOf(error: unknown): string | undefined {
  const code = error instanceof DrydockError ? error.details['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
