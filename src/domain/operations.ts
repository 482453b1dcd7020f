import type { ConsoleOperations } from '../contract/console/index.ts';
import type { Operations } from '../contract/index.ts';
import type { Alias, Group, Operation, Route } from '../contract/operation.ts';
import { routes } from '../contract/routes.ts';
import type { VisitOperations } from '../contract/visit/index.ts';
import type { Verb } from './context/verb.ts';

type AllOperations = Operations & ConsoleOperations & VisitOperations;
/** Aliases have no verb: a call runs the verb of the operation they stand for. */
type Aliases = {
  [Id in keyof AllOperations]: AllOperations[Id] extends { alias: Alias } ? Id : never;
}[keyof AllOperations];
type Verbs<Declared> = { [Id in Exclude<keyof Declared & keyof AllOperations, Aliases>]: Verb<Id> };

interface GroupExports {
  operations: readonly Operation[];
  verbs: Readonly<Record<string, unknown>>;
}

/** A declared operation without a verb does not compile. */
async function together<Declared>(
  contract: Promise<{ declared: Declared; operations: readonly Operation[] }>,
  verbs: Promise<Verbs<Declared>>,
): Promise<GroupExports> {
  return { operations: (await contract).operations, verbs: { ...(await verbs) } };
}

/**
 * The operations of the service, with their verbs, in groups. A group is loaded when one of its operations is first
 * called, so that the start and the memory of a process depend on what it is used for.
 */
const groups: Readonly<Record<Group, () => Promise<GroupExports>>> = {
  projects: () => together(import('../contract/groups/projects.ts'), import('./verbs/projects.ts')),
  servers: () => together(import('../contract/groups/servers.ts'), import('./verbs/servers.ts')),
  directories: () => together(import('../contract/groups/directories.ts'), import('./verbs/directories.ts')),
  environments: () =>
    together(import('../contract/groups/environments.ts'), import('./verbs/environments.ts')),
  evals: () => together(import('../contract/groups/evals.ts'), import('./verbs/evals.ts')),
  swarms: () => together(import('../contract/groups/swarms.ts'), import('./verbs/swarms.ts')),
  studies: () => together(import('../contract/groups/studies.ts'), import('./verbs/studies.ts')),
  agent: () => together(import('../contract/groups/agent.ts'), import('./verbs/agent.ts')),
  webhooks: () => together(import('../contract/groups/webhooks.ts'), import('./verbs/webhooks.ts')),
  aliases: () => together(import('../contract/groups/aliases.ts'), import('./verbs/aliases.ts')),
  console: () => together(import('../contract/console/index.ts'), import('./verbs/console.ts')),
  visit: () => together(import('../contract/visit/index.ts'), import('./verbs/visit.ts')),
};

export type AnyVerb = (context: unknown, input: unknown) => unknown;

/** An operation with its schemas, and the verb that carries it out; an alias has that of its target. */
export interface Loaded {
  operation: Operation;
  /** The operation that is carried out: that of an alias, or the operation itself. */
  target: Operation;
  verb: AnyVerb;
}

const opened: Partial<Record<Group, Promise<GroupExports>>> = {};
const loaded = new Map<string, Loaded>();

/** Loads an operation. Returns it without a promise if that has happened before, as in most calls. */
export function loadOperation({ id, group }: Pick<Route, 'id' | 'group'>): Loaded | Promise<Loaded> {
  return loaded.get(id) ?? load(id, group);
}

/** An operation that has been loaded. */
export function loadedOperation({ id }: Pick<Route, 'id'>): Operation {
  const there = loaded.get(id);
  if (!there) throw new Error(`the operation ${id} is not loaded`);
  return there.operation;
}

async function load(id: string, group: Group): Promise<Loaded> {
  const { operations, verbs } = await (opened[group] ??= groups[group]());
  const operation = operations.find((one) => one.id === id) as Operation;
  const { alias } = operation;
  const { target, verb } = alias
    ? await loadOperation(routes.find((route) => route.id === alias.of) as Route)
    : { target: operation, verb: verbs[id] as AnyVerb };
  const one = { operation, target, verb };
  loaded.set(id, one);
  return one;
}
