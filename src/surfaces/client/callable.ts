import { isSafe, type Operation, streamedAnswer } from '../../contract/operation.ts';

/** What has to be known of an operation to call it. */
export interface Callable extends Pick<Operation, 'id' | 'method' | 'path' | 'params'> {
  sends: 'nothing' | 'json' | 'bytes';
  answers: 'json' | 'file' | 'events';
  /** Statuses beside the 2xx that carry an answer. */
  otherStatuses: readonly number[];
  /**
   * Whether sending it again does nothing more: always; with an idempotency key; with one that the caller gave, because
   * a key changes what it does.
   */
  repeatable: 'always' | 'with key' | 'with given key' | 'never';
  /** Of a list: where the cursor of the next page goes. */
  cursorIn?: 'cursor' | 'before' | 'body' | undefined;
}

export function callableOf(operation: Operation): Callable {
  return {
    id: operation.id,
    method: operation.method,
    path: operation.path,
    params: operation.params,
    sends: operation.upload ? 'bytes' : operation.body ? 'json' : 'nothing',
    answers: streamedAnswer(operation.response)?.kind ?? 'json',
    otherStatuses: Object.keys(operation.otherStatuses ?? {}).map(Number),
    repeatable: repeatable(operation),
    cursorIn: cursorIn(operation),
  };
}

function repeatable(operation: Operation): Callable['repeatable'] {
  if (isSafe(operation)) return 'always';
  if (!operation.idempotency) return 'never';
  return operation.keyChangesMeaning ? 'with given key' : 'with key';
}

function cursorIn({ query, body, response }: Operation): Callable['cursorIn'] {
  const [asked, sent, page] = [query, body, response].map((schema) => (schema as Shaped | undefined)?.shape);
  if (!page?.['items'] || !page['nextCursor']) return undefined;
  if (asked?.['cursor']) return 'cursor';
  if (asked?.['before']) return 'before';
  return sent?.['cursor'] ? 'body' : undefined;
}

/** Schemas of objects have it. */
interface Shaped {
  shape?: Record<string, unknown>;
}
