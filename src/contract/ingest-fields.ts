import { z } from 'zod';

export const mebibyte = 1024 * 1024;
export const orDefault = '`default` as the project ID means the Default project of the key’s organization.';

/** Optional text; `null` counts as absent. */
export const text = (maxLength: number) => z.string().max(maxLength).nullish();

const maxShown = 16_384;

/** Limits a field that every list of runs shows. */
export function listed<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.refine((value) => JSON.stringify(value).length <= maxShown, {
    message: `At most ${maxShown.toLocaleString('en')} characters of JSON`,
  });
}
