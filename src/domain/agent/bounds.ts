import { Refusal } from '../../contract/errors.ts';
import { liveOptions } from '../../contract/live.ts';
import type { Operation } from '../../contract/operation.ts';

/** Body fields withheld from the agent: connection options and the delivery of secrets. */
const withheld: ReadonlySet<string> = new Set([...Object.keys(liveOptions), 'secretSelection']);
const kept: ReadonlySet<string> = new Set(['firstPageOnly']);

export function isWithheld(field: string): boolean {
  return withheld.has(field) && !kept.has(field);
}

type Arguments = Record<string, unknown>;

/** Adds the project to the arguments of a call. Refuses another project and withheld body fields. */
export function boundToProject(operation: Operation, given: Arguments, projectId: string): Arguments {
  const { idempotencyKey: _key, projectId: named, ...args } = given;
  refuseOther(named, projectId);
  const body = isRecord(args['body']) ? args['body'] : undefined;
  const field = Object.keys(body ?? {}).find(isWithheld);
  if (field !== undefined)
    throw new Refusal('FORBIDDEN', `body.${field}: Not available to the agent. Omit it`);
  if (operation.params.includes('projectId')) return { ...args, projectId };
  if (operation.id !== 'createServerConnection') return args;
  refuseOther(body?.['projectId'], projectId);
  return { ...args, body: { ...body, projectId } };
}

function refuseOther(named: unknown, projectId: string): void {
  if (named !== undefined && named !== null && named !== projectId)
    throw new Refusal('FORBIDDEN', 'The agent works in one project. Omit projectId');
}

function isRecord(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
