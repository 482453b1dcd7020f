import { operationList } from '../../contract/index.ts';
import { isSafe, type Operation, streamedAnswer } from '../../contract/operation.ts';

/** What has to be known of an operation to call it. */
export interface Callable extends Pick<Operation, 'id' | 'method' | 'path' | 'params'> {
  sends: 'nothing' | 'json' | 'bytes';
  answers: 'json' | 'file' | 'events';
  /** Statuses beside the 2xx that carry an answer. */
  otherStatuses: readonly number[];
  /** Calling it again changes nothing more; with an idempotency key, where it honours one. */
  repeatable: 'always' | 'with key' | 'never';
}

/** A build keeps this as a table, so that the client loads no schema. */
export const callables: readonly Callable[] = operationList.map((operation) => ({
  id: operation.id,
  method: operation.method,
  path: operation.path,
  params: operation.params,
  sends: operation.upload ? 'bytes' : operation.body ? 'json' : 'nothing',
  answers: streamedAnswer(operation.response)?.kind ?? 'json',
  otherStatuses: Object.keys(operation.otherStatuses ?? {}).map(Number),
  repeatable: repeatable(operation),
}));

function repeatable(operation: Operation): Callable['repeatable'] {
  if (isSafe(operation)) return 'always';
  return operation.idempotency ? 'with key' : 'never';
}
