import type { z } from 'zod';
import type { Operation } from '../../contract/operation.ts';

/** The operation that lists the objects of a parameter, so that a name can be given instead of an ID. */
export interface Lookup {
  operation: string;
  /** Parameters of the list operation. */
  needs: string[];
}

export type Lookups = Readonly<Record<string, Lookup>>;

/** The lookup of each path parameter: the GET on the path before it, if its items have an ID and a name. */
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

/** Fields whose IDs belong to a parameter of another name. */
const synonyms: Readonly<Record<string, string>> = { hostId: 'client', optionalServerId: 'serverId' };

/** The parameter whose ID or IDs a field holds; undefined if it cannot be looked up. */
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

/** Object schemas have a shape. */
type Shaped = { shape?: Record<string, z.ZodType> };
