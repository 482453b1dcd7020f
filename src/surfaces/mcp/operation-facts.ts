import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { operationList } from '../../contract/index.ts';
import { isSafe, type Operation } from '../../contract/operation.ts';

const byId = new Map(operationList.map((operation) => [operation.id, operation]));

export function operationNamed(id: string): Operation | undefined {
  return byId.get(id);
}

/** They reach a server, or a receiver of events, though no refusal of theirs says so: what goes wrong there is their answer. */
const reporting: ReadonlySet<string> = new Set([
  'runDoctor',
  'createServerConnection',
  'retryServerConnectionValidation',
  'setServerChecks',
  'testWebhook',
  'redeliverWebhook',
  'replayWebhook',
]);

/** Whether it reaches a server or a model. */
export function reachesOut({ id, errors, spends, callsTools }: Operation): boolean {
  return (
    spends === true ||
    callsTools === true ||
    reporting.has(id) ||
    (errors ?? []).includes('SERVER_UNREACHABLE')
  );
}

/** What it does may not be undone: something goes, is overwritten or stopped, or a tool does what it likes. */
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

/** What a tool or a list says of it. */
export function wordsOf({ summary, description, spends, deprecated, alias }: Operation): string {
  return [
    `${summary}.`,
    description,
    spends ? spendsNote : undefined,
    deprecated === undefined ? undefined : 'Deprecated: use the operation of clients with the same purpose.',
    alias && `The same as ${alias.of} under another name.`,
  ]
    .filter(Boolean)
    .join(' ');
}
