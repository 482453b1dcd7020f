import { operationList } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { everything } from '../common/everything.ts';
import { lookupsOf, paramOfField } from '../common/lookups.ts';
import { isId, type Named, nameOf } from '../common/naming.ts';
import type { Calling } from './agent.ts';
import type { Answer } from './answers.ts';
import { pick, projectOf } from './names.ts';
import { callOf, callOperation } from './operation-call.ts';
import { operationNamed } from './operation-facts.ts';
import { retryingClient } from './rate-limit-retry.ts';

type Arguments = Record<string, unknown>;
type List = (input: object) => Promise<{ items: Named[]; nextCursor?: string }>;

/** Parameters that take IDs only; operations of clients resolve names themselves. */
const calledById = new Set(['runId', 'iterationId', 'findingId', 'sessionId', 'client']);

const lookups = Object.fromEntries(
  Object.entries(lookupsOf(operationList)).filter(([param]) => !calledById.has(param)),
);

/** Calls an operation after resolving names to IDs. The project defaults to the Default one. */
export async function callByName(operation: Operation, args: Arguments, calling: Calling): Promise<Answer> {
  return callOperation(operation, await withIds(operation, args, calling), calling);
}

/** The arguments, with names in the path, the query and the body replaced by IDs. */
async function withIds(operation: Operation, args: Arguments, calling: Calling): Promise<Arguments> {
  const ids = new Ids(calling);
  const path: Arguments = {};
  for (const param of operation.params) path[param] = await ids.of(param, args[param] ?? undefined);
  const { body, ...given } = args;
  const query = Object.fromEntries(
    Object.entries(given).filter(([name]) => !operation.params.includes(name)),
  );
  return {
    ...(await ids.in(query)),
    ...path,
    ...(body !== undefined && { body: isRecord(body) ? await ids.in(body) : body }),
  };
}

/** Resolves names, each within the project or suite of the same call. */
class Ids {
  private readonly calling: Calling;
  private readonly known: Record<string, string> = {};
  private readonly lists = new Map<string, Promise<Named[]>>();

  constructor(calling: Calling) {
    this.calling = calling;
  }

  /** The ID of a name. Other values, and parameters without a list, are unchanged. */
  async of(param: string, value: unknown): Promise<unknown> {
    const id = await this.find(param, value);
    if (typeof id === 'string') this.known[param] ??= id;
    return id;
  }

  /** Resolves fields like `suiteId` and `serverIds`; other fields are unchanged. */
  async in(fields: Arguments): Promise<Arguments> {
    const found = { ...fields };
    const named = Object.keys(fields)
      .flatMap((field) => {
        const param = fields[field] === undefined ? undefined : paramOfField(field, lookups);
        return param === undefined ? [] : [{ field, param }];
      })
      // In order of dependency: the project, then its suite, then its cases.
      .toSorted((a, b) => needsOf(a.param).length - needsOf(b.param).length);
    for (const { field, param } of named) {
      const value = fields[field];
      found[field] = Array.isArray(value) ? await this.each(param, value) : await this.of(param, value);
    }
    return found;
  }

  private async each(param: string, values: unknown[]): Promise<unknown[]> {
    const ids: unknown[] = [];
    for (const value of values) ids.push(await this.find(param, value));
    return ids;
  }

  private async find(param: string, value: unknown): Promise<unknown> {
    if (param === 'projectId' && (value === undefined || typeof value === 'string'))
      return (await projectOf(this.calling, value)).id;
    if (param === 'organizationId' && value === undefined) return (await this.list(param))?.[0]?.id;
    if (typeof value !== 'string' || isId(value) || !Object.hasOwn(lookups, param)) return value;
    const items = await this.list(param);
    if (!items) return value;
    const named = items.map((item) => ({ id: item.id, name: nameOf(item) || item.id }));
    return pick(kindOf(param), named, value, param === 'caseId' ? 'the suite' : 'the project').id;
  }

  /** Undefined when the parent is unknown. */
  private async list(param: string): Promise<Named[] | undefined> {
    const input: Record<string, string> = {};
    for (const name of needsOf(param)) {
      const id = this.known[name] ?? (await this.of(name, undefined));
      if (typeof id !== 'string') return undefined;
      input[name] = id;
    }
    const list = operationNamed(lookups[param]?.operation ?? '') as Operation;
    const key = JSON.stringify([list.id, input]);
    const items =
      this.lists.get(key) ?? everything(callOf(retryingClient(this.calling), list) as List, input);
    this.lists.set(key, items);
    return items;
  }
}

function needsOf(param: string): readonly string[] {
  return lookups[param]?.needs ?? [];
}

/** `registry server` for `registryServerId`. */
function kindOf(param: string): string {
  return param.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function isRecord(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
