import { asRecord, check, group, quoted, skipped } from './checks.ts';
import type { Case, Group } from './report.ts';

/** A server's answer: a result or a JSON-RPC error. */
export type TaskAnswer = { result: Record<string, unknown> } | { error: { code: number; message: string } };

/** Answers of a server that declares tasks. */
export interface TaskAnswers {
  /** A few pages of `tasks/list`. Undefined if the server does not list tasks. */
  pages?: TaskAnswer[] | undefined;
  /** The answer to `tasks/get` for an unknown task. */
  unknown: TaskAnswer;
}

const section = 'extensions/tasks';
const extension = 'io.modelcontextprotocol/tasks';
const title = 'Tasks';
const invalidParams = -32602;

/** How tasks are declared: as a capability of revision 2025-11-25, or as an extension in later ones. */
export function declaredTasks(
  capabilities: Record<string, unknown>,
): { kind: 'capability' | 'extension'; declared: unknown; lists: boolean } | undefined {
  const declared = capabilities['tasks'];
  if (declared !== undefined)
    return { kind: 'capability', declared, lists: asRecord(declared)['list'] !== undefined };
  const extended = asRecord(capabilities['extensions'])[extension];
  return extended === undefined ? undefined : { kind: 'extension', declared: extended, lists: false };
}

export function gradeTasks(
  declared: ReturnType<typeof declaredTasks>,
  asked: TaskAnswers | undefined,
): Group[] {
  if (!declared || !asked)
    return [group('tasks', title, [skipped('tasks', title, section, 'The server does not declare tasks')])];
  return [
    group('tasks-capability', 'Declaring tasks', [
      check('tasks-declared', 'Tasks are declared as an object', section, shapeProblem(declared.declared)),
      ...(declared.kind === 'capability' ? partsOf(asRecord(declared.declared)) : []),
    ]),
    group('tasks-list', 'Listing tasks', [listing(asked.pages)]),
    group('tasks-unknown', 'A task that there is not', [
      check(
        'tasks-unknown-id',
        'tasks/get refuses an unknown ID, with -32602',
        section,
        unknownProblem(asked.unknown),
      ),
    ]),
  ];
}

function partsOf(declared: Record<string, unknown>): Case[] {
  return ['list', 'cancel', 'requests'].flatMap((name) =>
    declared[name] === undefined
      ? []
      : [
          check(
            `tasks-declared-${name}`,
            `tasks.${name} is an object`,
            section,
            shapeProblem(declared[name]),
          ),
        ],
  );
}

function shapeProblem(value: unknown): string | undefined {
  const fine = typeof value === 'object' && value !== null && !Array.isArray(value);
  return fine ? undefined : `The value is ${quoted(value)}`;
}

function listing(pages: readonly TaskAnswer[] | undefined): Case {
  const name = 'tasks/list answers page by page';
  if (!pages) return skipped('tasks-list', name, section, 'The server does not declare that it lists tasks');
  return check(
    'tasks-list',
    name,
    section,
    pages.map(pageProblem).find((problem) => problem !== undefined),
  );
}

function pageProblem(told: TaskAnswer): string | undefined {
  if ('error' in told) return `The server returned the error ${told.error.code}: ${told.error.message}`;
  const { tasks, nextCursor } = told.result;
  if (!Array.isArray(tasks)) return `tasks is ${quoted(tasks)}, not a list`;
  if (nextCursor !== undefined && typeof nextCursor !== 'string')
    return `nextCursor is ${quoted(nextCursor)}, not a text`;
  const wrong = tasks
    .map(asRecord)
    .find((task) => typeof task['taskId'] !== 'string' || typeof task['status'] !== 'string');
  return wrong === undefined ? undefined : 'A task lacks its taskId or its status';
}

function unknownProblem(told: TaskAnswer): string | undefined {
  if (!('error' in told)) return 'The server returned a result instead of an error';
  const { code, message } = told.error;
  return code === invalidParams ? undefined : `The server returned the error ${code}: ${message}`;
}
