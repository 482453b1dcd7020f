import type { z } from 'zod';
import type { Operation } from '../../contract/operation.ts';

/** The list that holds the things behind a parameter, so that a name can be given instead of an id. */
export interface Lookup {
  operation: string;
  /** Parameters that the list itself needs. */
  needs: string[];
}

export type Lookups = Readonly<Record<string, Lookup>>;

/** `serverId` is listed by the GET on the path before it, when its items have an id and a name. */
export function lookupsOf(operations: readonly Operation[]): Lookups {
  const lookups: Record<string, Lookup> = {};
  for (const { path, deprecated } of operations)
    for (const [, before, param] of path.matchAll(/(?<=^(.*)\/)\{(\w+)\}/g)) {
      const list = operations.find((one) => one.method === 'GET' && one.path === before);
      if (deprecated === undefined && list && hasNames(list))
        lookups[param as string] ??= { operation: list.id, needs: [...list.params] };
    }
  return lookups;
}

/** Fields that hold ids of the same things under another name. */
const synonyms: Readonly<Record<string, string>> = { hostId: 'client', optionalServerId: 'serverId' };

/** The parameter whose ids a field holds, one or several, where they can be looked up. */
export function paramOfField(field: string, known: Readonly<Record<string, unknown>>): string | undefined {
  const one = field.replace(/Ids$/, 'Id');
  const param = synonyms[one] ?? one;
  return Object.hasOwn(known, param) ? param : undefined;
}

function hasNames({ response }: Operation): boolean {
  const items = (response as Shaped).shape?.['items'] as { element?: Shaped } | undefined;
  const item = items?.element?.shape ?? {};
  return 'id' in item && ('name' in item || 'title' in item);
}

/** Schemas of objects have it. */
type Shaped = { shape?: Record<string, z.ZodType> };
