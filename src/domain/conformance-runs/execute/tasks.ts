import { randomUUID } from 'node:crypto';
import type { SuiteReport } from '../../../conformance/report.ts';
import { declaredTasks, gradeTasks, type TaskAnswer } from '../../../conformance/tasks.ts';
import { McpFailure } from '../../../mcp/failures.ts';
import type { Conversation } from '../../../mcp/mcp.ts';
import { Redactor } from '../../../mcp/redactor.ts';
import { ask, graded, type Subject } from './subject.ts';

const maxPages = 5;

/** Checks the declaration of tasks and the error handling. Creates no task. */
export function tasksReport(subject: Subject): Promise<SuiteReport> {
  const saved = subject.server.settings.clientCapabilities ?? {};
  const extensions = { 'io.modelcontextprotocol/tasks': {}, ...(saved['extensions'] as object | undefined) };
  const clientCapabilities = { tasks: { list: {}, cancel: {} }, ...saved, extensions };
  return graded('tasks', 'Tasks', () =>
    ask(subject, { clientCapabilities }, async (conversation) => {
      const declared = declaredTasks(conversation.identity.capabilities);
      const { protocolVersion: profile } = conversation.identity;
      if (!declared) return { groups: gradeTasks(undefined, undefined), profile };
      const pages = declared.lists ? await pagesOf(conversation) : undefined;
      const unknown = await told(conversation, 'tasks/get', { taskId: `none-${randomUUID()}` });
      const groups = gradeTasks(declared, { pages, unknown });
      return { groups: await new Redactor(conversation.secrets()).hide(groups), profile };
    }),
  );
}

async function pagesOf(conversation: Conversation): Promise<TaskAnswer[]> {
  const pages: TaskAnswer[] = [];
  let cursor: unknown;
  do {
    const page = await told(conversation, 'tasks/list', typeof cursor === 'string' ? { cursor } : {});
    pages.push(page);
    cursor = 'result' in page ? page.result['nextCursor'] : undefined;
  } while (typeof cursor === 'string' && pages.length < maxPages);
  return pages;
}

async function told(
  { ask: send }: Conversation,
  method: string,
  params: Record<string, unknown>,
): Promise<TaskAnswer> {
  try {
    return { result: (await send(method, params)).result };
  } catch (error) {
    const rpc = error instanceof McpFailure ? error.facts.rpc : undefined;
    if (!rpc) throw error;
    return { error: { code: rpc.code, message: rpc.message } };
  }
}
