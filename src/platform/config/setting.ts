import type { z } from 'zod';

/** One thing that an operator can set. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  env: string;
  schema: Schema;
  meaning: string;
  /** Shown instead of a default that is computed. */
  fallback?: string;
  secret?: true;
}

export function setting<Schema extends z.ZodType>(declared: Setting<Schema>): Setting<Schema> {
  return declared;
}
