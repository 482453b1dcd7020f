import { personalStoreOf } from '../../kit/store.ts';
import type { Draft } from './declared-fields.ts';

/** What was declared for the last run of each server, while the tab is open: the next one is to ask only for the rest. */
const drafts = personalStoreOf<ReadonlyMap<string, Draft>>(new Map());

export function draftFor(serverId: string): Draft {
  return drafts.get().get(serverId) ?? {};
}

export function keepDraft(serverId: string, draft: Draft): void {
  drafts.set(new Map([...drafts.get(), [serverId, draft]]));
}
