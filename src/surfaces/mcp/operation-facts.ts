import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { operationList } from '../../contract/index.ts';
import { isSafe, type Operation } from '../../contract/operation.ts';

const byId = new Map(operationList.map((operation) => [operation.id, operation]));

export function operationNamed(id: string): Operation | undefined {
  return byId.get(id);
}

/**
 * Operations that contact a server or webhook receiver and report its failure in their answer instead of as an error.
 */
const reporting: ReadonlySet<string> = new Set([
  'runDoctor',
  'createServerConnection',
  'retryServerConnectionValidation',
  'setServerChecks',
  'testWebhook',
  'redeliverWebhook',
  'replayWebhook',
]);

/** Whether the operation contacts a server or a model. */
export function reachesOut({ id, errors, spends, callsTools }: Operation): boolean {
  return (
    spends === true ||
    callsTools === true ||
    reporting.has(id) ||
    (errors ?? []).includes('SERVER_UNREACHABLE')
  );
}

/** Whether the effect may be irreversible: it deletes, overwrites or stops something, or calls a tool. */
function isDestructive({ id, method, callsTools }: Operation): boolean {
  return (
    callsTools === true ||
    /^(DELETE|PATCH|PUT)$/.test(method) ||
    /^(cancel|close|revoke|rotate|set|archive|sync|import)/.test(id)
  );
}

export function annotationsOf(operation: Operation): ToolAnnotations {
  const { summary, method, callsTools } = operation;
  const safe = isSafe(operation);
  return {
    title: summary,
    readOnlyHint: safe,
    destructiveHint: !safe && isDestructive(operation),
    idempotentHint: safe || (!callsTools && /^(DELETE|PUT)$/.test(method)),
    openWorldHint: reachesOut(operation),
  };
}

export const spendsNote = 'Spends credits.';

/** The description of the operation as a tool. */
export function wordsOf({ summary, description, spends, deprecated, alias }: Operation): string {
  return [
    `${summary}.`,
    description,
    spends ? spendsNote : undefined,
    deprecated === undefined ? undefined : 'Deprecated: use the operation of clients with the same purpose.',
    alias && `Alias of ${alias.of}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
