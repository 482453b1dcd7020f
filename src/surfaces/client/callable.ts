import { isSafe, type Operation } from '../../contract/operation.ts';

/** The part of an operation's declaration that a client needs to call it. */
export interface Callable extends Pick<Operation, 'id' | 'method' | 'path' | 'params'> {
  sends: 'nothing' | 'json' | 'bytes';
  answers: 'json' | 'file' | 'events';
  /** Statuses other than 2xx whose response is a result. */
  otherStatuses: readonly number[];
  /**
   * Whether a repeated request is free of further effects: always, with an idempotency key, or only with a key chosen
   * by the caller because a key changes the behavior.
   */
  repeatable: 'always' | 'with key' | 'with given key' | 'never';
  /** For a list, the parameter for the cursor of the next page. */
  cursorIn?: 'cursor' | 'before' | 'body' | undefined;
}

export function callableOf(operation: Operation): Callable {
  return {
    id: operation.id,
    method: operation.method,
    path: operation.path,
    params: operation.params,
    sends: operation.upload ? 'bytes' : operation.body ? 'json' : 'nothing',
    answers: operation.answers,
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

/** Object schemas have a shape. */
interface Shaped {
  shape?: Record<string, unknown>;
}
