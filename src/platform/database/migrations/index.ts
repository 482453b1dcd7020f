import { foundation } from './0001-foundation.ts';

export interface Migration {
  name: string;
  sql: string;
}

/** In the order they run. A migration that has run is never edited: its checksum is recorded. */
export const migrations: readonly Migration[] = [foundation];
