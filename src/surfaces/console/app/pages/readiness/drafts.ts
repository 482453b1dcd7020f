import { personalStoreOf } from '../../kit/store.ts';
import type { Draft } from './declared-fields.ts';

/** Declarations per server, as last entered. Kept until the tab closes and reused for the next run. */
const drafts = personalStoreOf<ReadonlyMap<string, Draft>>(new Map());

export function draftFor(serverId: string): Draft {
  return drafts.get().get(serverId) ?? {};
}

export function keepDraft(serverId: string, draft: Draft): void {
  drafts.set(new Map([...drafts.get(), [serverId, draft]]));
}
