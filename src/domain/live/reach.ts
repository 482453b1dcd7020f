import { Refusal } from '../../contract/errors.ts';
import type { Answer } from '../../mcp/connection.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation, Visit } from '../../mcp/mcp.ts';
import type { Target } from '../../mcp/target.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { found } from '../base/refusals.ts';
import type { ProjectContext, ServerContext } from '../context/context.ts';
import { lacksGrant } from '../servers/auth-method.ts';
import { diagnosisTimeout } from './advice.ts';
import { noteOAuthDemand } from './oauth-demand.ts';
import { oauthRequired, translated } from './refusal.ts';
import { type LiveOptions, requireCommands, targetOf } from './target.ts';

type LiveServerRow = servers.LiveServerRow;

/** Milliseconds per call, if the server has no timeout of its own. */
const callTimeout = 30_000;

/** Refuses a server that the caller cannot connect to: a command that is not allowed, or a lack of a grant. */
export async function requireReachable(context: ProjectContext, server: LiveServerRow): Promise<void> {
  if (server.transportType === 'stdio') await requireCommands(context, context.db);
  requireGrant(server, {});
}

/** A saved server, ready to connect to. */
export interface Reached {
  server: LiveServerRow;
  target: Target;
}

/** Resolves a server for this caller. Refuses a stdio server if commands are not allowed. */
export async function reach(
  context: ProjectContext,
  server: LiveServerRow,
  options: LiveOptions,
): Promise<Reached> {
  if (server.transportType === 'stdio') await requireCommands(context, context.db);
  return { server, target: targetOf(context, context.actor.organization.id, server, options) };
}

/**
 * Runs `work` over a connection to the server: with `use`, a cached connection if there is one; with `once`, a new
 * one. Server failures become refusals.
 */
export async function withServer<T>(
  context: ServerContext,
  options: LiveOptions,
  work: (conversation: Conversation, target: Target) => Promise<T>,
  how: 'use' | 'once' = 'use',
): Promise<T> {
  const attempt = async (reached: Reached, again = false): Promise<T> => {
    const { server, target } = reached;
    requireGrant(server, options);
    try {
      const result = await context.mcp[how](target, callWait(context, server), (conversation) =>
        work(loggingComplaints(context, server, conversation), target),
      );
      await noteOAuthDemand(context, server, options, false);
      return result;
    } catch (error) {
      if (replaced(error) && !again) throw error;
      throw await recordOAuthDemand(context, server, options, translated(error, server));
    }
  };
  try {
    return await attempt(await reach(context, context.server, options));
  } catch (error) {
    if (!replaced(error)) throw error;
    const which = { projectId: context.project.id, id: context.server.id };
    const now = found(await context.db.row(servers.findLive, which), 'server');
    return attempt(await reach(context, now, options), true);
  }
}

/** Milliseconds between two checks of the results of one server. */
const checkInterval = 1_000;
const maxRemembered = 1_000;
const checkedAt = new Map<string, number>();

/** Checking a result takes as long as a tenth of a call, so not every one is checked. */
function isDue(serverId: string): boolean {
  const now = performance.now();
  if (now < (checkedAt.get(serverId) ?? -Infinity) + checkInterval) return false;
  if (checkedAt.size >= maxRemembered) checkedAt.clear();
  checkedAt.set(serverId, now);
  return true;
}

/** Logs schema violations of results, which are returned unchanged. */
function loggingComplaints(
  { log, requestId, afterwards }: ProjectContext,
  server: LiveServerRow,
  conversation: Conversation,
): Conversation {
  const report = async (method: string, answer: Answer): Promise<void> => {
    const complaint = await answer.complaint();
    if (complaint === undefined) return;
    log.info('Result violates the protocol', {
      requestId,
      serverId: server.id,
      method,
      complaint: complaint.slice(0, 500),
    });
  };
  return {
    ...conversation,
    ask: async (method, params) => {
      const answer = await conversation.ask(method, params);
      // Validation runs after the response, so the caller does not wait for it.
      if (isDue(server.id)) afterwards(() => void report(method, answer));
      return answer;
    },
  };
}

/** Records a demand for OAuth and returns the error. */
export async function recordOAuthDemand(
  context: ServerContext,
  server: LiveServerRow,
  options: LiveOptions,
  error: unknown,
): Promise<unknown> {
  if (error instanceof Refusal && error.code === 'OAUTH_REQUIRED')
    await noteOAuthDemand(context, server, options, true);
  return error;
}

/** Tokens were replaced while the old ones were refused, so the call was not executed and can be retried. */
function replaced(error: unknown): boolean {
  return error instanceof McpFailure && error.facts.grantGone === true;
}

/** Refuses at once what the server would refuse for lack of a grant. */
export function requireGrant(server: LiveServerRow, { oauthAccessToken }: LiveOptions): void {
  if (oauthAccessToken === undefined && server.transportType === 'http' && lacksGrant(server))
    throw oauthRequired(server, server.grantDead ? { grantDead: true } : {});
}

function callWait(context: ProjectContext, server: LiveServerRow): Visit {
  const { afterwards } = context;
  return { timeout: server.settings.timeout ?? callTimeout, signal: context.callerGone(), afterwards };
}

export function diagnosisWait(
  context: ProjectContext,
  server: LiveServerRow,
): { timeout: number; signal: AbortSignal } {
  const timeout = Math.min(server.settings.timeout ?? diagnosisTimeout, diagnosisTimeout);
  return { timeout, signal: context.callerGone() };
}
