import type { Input } from '../../api/index.ts';
import type { Card } from './labels.ts';

/** A card as form values. */
export interface Draft {
  name: string;
  displayName: string;
  description: string;
  publisher: string;
  category: string;
  /** Comma-separated. */
  tags: string;
  url: string;
  useOAuth: boolean;
  /** Space-separated. */
  oauthScopes: string;
  clientId: string;
}

export function draftOf(card?: Card): Draft {
  return {
    name: card?.name ?? '',
    displayName: card?.displayName ?? '',
    description: card?.description ?? '',
    publisher: card?.publisher ?? '',
    category: card?.category ?? '',
    tags: (card?.tags ?? []).join(', '),
    url: card?.transport?.url ?? '',
    useOAuth: card?.transport?.useOAuth ?? false,
    oauthScopes: (card?.transport?.oauthScopes ?? []).join(' '),
    // Never returned by the API.
    clientId: '',
  };
}

type Create = Input<'createOrganizationRegistryServer'>['body'];
type Update = Input<'updateOrganizationRegistryServer'>['body'];

export function createBody(draft: Draft): Create {
  const description = draft.description.trim();
  return {
    name: draft.name.trim(),
    ...optionalNames(draft),
    ...(description !== '' && { description }),
    ...(draft.tags.trim() !== '' && { tags: tagsIn(draft.tags) }),
    transport: transportOf(draft),
  };
}

/** Changed fields only. The transport is replaced as a whole, so it is sent only if part of it changed. */
export function updateBody(draft: Draft, card: Card): Update {
  const before = draftOf(card);
  const differs = (field: keyof Draft): boolean => draft[field] !== before[field];
  const name = draft.name.trim();
  const names = optionalNames(draft);
  return {
    ...(name !== before.name && { name }),
    ...Object.fromEntries(Object.entries(names).filter(([field]) => differs(field as keyof Draft))),
    ...(differs('description') && { description: draft.description.trim() }),
    ...(differs('tags') && { tags: tagsIn(draft.tags) }),
    ...(transportDiffers(draft, card) && { transport: transportOf(draft) }),
  };
}

export function transportDiffers(draft: Draft, card: Card): boolean {
  const before = draftOf(card);
  return (['url', 'useOAuth', 'oauthScopes', 'clientId'] as const).some(
    (field) => draft[field] !== before[field],
  );
}

const names = ['displayName', 'publisher', 'category'] as const;

function optionalNames(draft: Draft): Partial<Record<(typeof names)[number], string>> {
  return Object.fromEntries(
    names.map((name) => [name, draft[name].trim()] as const).filter(([, value]) => value !== ''),
  );
}

/** Cleared fields that the API can change but not clear. */
export function cannotBeEmptied(draft: Draft, card: Card | undefined): ReadonlySet<keyof Draft> {
  return new Set(names.filter((name) => card?.[name] !== undefined && draft[name].trim() === ''));
}

function tagsIn(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

function transportOf({ url, useOAuth, oauthScopes, clientId }: Draft): Create['transport'] {
  const scopes = oauthScopes.split(/\s+/).filter((scope) => scope !== '');
  return {
    url: url.trim(),
    ...(useOAuth && { useOAuth }),
    ...(useOAuth && scopes.length > 0 && { oauthScopes: scopes }),
    ...(useOAuth && clientId.trim() !== '' && { clientId: clientId.trim() }),
  };
}
