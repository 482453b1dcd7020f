import { personalStoreOf } from '../../kit/store.ts';

/** What is typed and not sent, by conversation, while the tab is open. */
const drafts = personalStoreOf<ReadonlyMap<string, string>>(new Map());

export function useDraft(conversation: string): string {
  return drafts.use().get(conversation) ?? '';
}

export function setDraft(conversation: string, text: string): void {
  drafts.set(new Map([...drafts.get(), [conversation, text]]));
}
