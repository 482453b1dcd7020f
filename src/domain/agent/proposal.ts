import { createHash } from 'node:crypto';
import type { ProposedAction } from '../../contract/agent.ts';
import type { Operation } from '../../contract/operation.ts';
import { visibleJson } from '../../platform/quoted.ts';
import { readInput, readParams } from '../base/input.ts';
import type { AgentOperation } from './operations.ts';

/** Maximum number of characters of all arguments shown in the description. */
const maxShown = 300;

/** Argument names and target types, most specific first. */
const targets: [field: string, type: string][] = [
  ['iterationId', 'eval_iteration'],
  ['runId', 'eval_run'],
  ['caseId', 'eval_case'],
  ['suiteId', 'eval_suite'],
  ['serverId', 'server'],
  ['environmentId', 'environment'],
  ['url', 'url'],
];

/**
 * An action for a person to approve. Validated as if executed. The description is written by Drydock; the arguments,
 * which the model chose, follow as JSON with invisible characters escaped, cut after 300 characters.
 */
export function proposalOf(
  operation: Operation,
  { kind, confirmSeverity, buttonLabel }: AgentOperation['proposal'],
  args: Record<string, unknown>,
  conversationId: string,
): ProposedAction {
  const { body, ...named } = args;
  const texts = Object.fromEntries(
    Object.entries(named)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value)]),
  );
  const params = readParams(operation, texts);
  const query = Object.fromEntries(Object.entries(texts).filter(([name]) => !(name in params)));
  readInput(operation, params, { query, body: body as Record<string, unknown> | undefined });
  const input = { ...texts, ...(body !== undefined && { body }) };
  const { projectId: _, ...told } = input as Record<string, unknown>;
  const shown = visibleJson(told);
  const target = targetOf({ ...texts, ...(body as object | undefined) });
  return {
    actionId: actionIdOf(conversationId, operation.id, input),
    operation: operation.id,
    description: `${operation.summary}: ${shown.length > maxShown ? `${shown.slice(0, maxShown)}…` : shown}`,
    buttonLabel,
    kind,
    confirmSeverity,
    ...(target && { target }),
    input,
  };
}

function targetOf(fields: Record<string, unknown>): ProposedAction['target'] {
  for (const [field, type] of targets) {
    const selector = fields[field];
    if (typeof selector === 'string') return { type, selector };
  }
  return undefined;
}

function actionIdOf(...parts: unknown[]): string {
  return `act_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}
