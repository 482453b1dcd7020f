import type { Group, SuiteReport } from '../../../conformance/report.ts';
import { outcomeOfGroups } from '../../../conformance/report.ts';
import { Refusal } from '../../../contract/errors.ts';
import { McpFailure } from '../../../mcp/failures.ts';
import type { Conversation } from '../../../mcp/mcp.ts';
import { secretsInUrl, withoutSecrets } from '../../../mcp/target.ts';
import type { LiveServerRow } from '../../../platform/database/queries/servers.ts';
import { asStorable } from '../../../platform/json/storable.ts';
import type { ProjectContext } from '../../context/context.ts';
import { type Reached, reach, requireGrant } from '../../live/reach.ts';
import { refusalOf } from '../../live/refusal.ts';
import { type LiveOptions } from '../../live/target.ts';

/**
 * Time limit of all requests over one connection, in milliseconds; the server may have a shorter timeout configured.
 */
const connectionTimeout = 60_000;

/** The server under test, with the access of the user who started the run. */
export interface Subject {
  context: ProjectContext;
  server: LiveServerRow;
  /** The protocol revision to use; null to negotiate. */
  revision: string | null;
  signal: AbortSignal;
}

/** The suite could not run: the server was unreachable or needs authorization, or the suite is not available here. */
export class Unreached extends Error {
  readonly failure: McpFailure | undefined;

  constructor(message: string, failure?: McpFailure) {
    super(message);
    this.failure = failure;
  }
}

export async function reachSubject(
  { context, server, revision }: Subject,
  options: LiveOptions = {},
): Promise<Reached> {
  const given = { ...options, ...(revision !== null && { mcpProtocolVersion: revision }) };
  const reached = await reach(context, server, given);
  requireGrant(reached.server, given);
  return reached;
}

/** Opens a separate connection for one piece of work. */
export async function ask<T>(
  subject: Subject,
  options: LiveOptions,
  work: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  const { context, server, signal } = subject;
  try {
    const { target } = await reachSubject(subject, options);
    const timeout = Math.min(server.settings.timeout ?? connectionTimeout, connectionTimeout);
    return await context.mcp.once(target, { timeout, signal }, work);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof McpFailure) {
      // Reports may be shared by link, so the error must not contain secrets of the server's URL.
      const { message } = refusalOf(error, server);
      throw new Unreached(withoutSecrets(message, secretsInUrl(server.url)), error);
    }
    if (error instanceof Refusal) throw new Unreached(error.message);
    throw error;
  }
}

/** Builds the report of a suite from its groups. If `grade` throws `Unreached`, the report is incomplete. */
export async function graded(
  kind: SuiteReport['kind'],
  name: string,
  grade: () => Promise<{ groups: Group[]; profile?: string; [field: string]: unknown }>,
): Promise<SuiteReport> {
  const started = performance.now();
  const shell = { schemaVersion: 1 as const, kind, name };
  const durationMs = (): number => Math.round(performance.now() - started);
  try {
    const { groups, ...rest } = await grade();
    const outcome = outcomeOfGroups(groups);
    return { ...shell, passed: outcome === 'passed', outcome, durationMs: durationMs(), groups, ...rest };
  } catch (error) {
    if (!(error instanceof Unreached)) throw error;
    const incompleteReason = asStorable(error.message.slice(0, 2_000));
    return {
      ...shell,
      passed: false,
      outcome: 'incomplete',
      incompleteReason,
      durationMs: durationMs(),
      groups: [],
    };
  }
}
