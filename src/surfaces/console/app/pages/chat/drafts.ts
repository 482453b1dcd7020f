import { personalStoreOf } from '../../kit/store.ts';

/** Unsent messages by conversation, kept until the tab closes. */
const drafts = personalStoreOf<ReadonlyMap<string, string>>(new Map());

export function useDraft(conversation: string): string {
  return drafts.use().get(conversation) ?? '';
}

export function setDraft(conversation: string, text: string): void {
  drafts.set(new Map([...drafts.get(), [conversation, text]]));
}
