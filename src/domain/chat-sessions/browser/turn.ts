import { type BrowserPolicy, listsOf, narrow, samePolicy } from '../../../browser/policy.ts';
import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import * as entries from '../../../platform/database/queries/browser-entries.ts';
import * as rows from '../../../platform/database/queries/browser-sessions.ts';
import type { SessionRow } from '../../../platform/database/queries/chat-sessions.ts';
import type { OwnTool } from '../../../trials/tools.ts';
import { browserTools } from '../../browser-sessions/model-tools.ts';
import { presentScreenshots, presentSessionBrowser } from '../../browser-sessions/present.ts';
import type { Context, ProjectContext } from '../../context/context.ts';
import { openOfChat } from './open.ts';

type Shown = NonNullable<OutputOf<Operations['sendChatMessage']>['browser']>;

/** The browser of a turn, or why it has none. */
export type TurnBrowser =
  | { row: rows.BrowserRow; policy: BrowserPolicy; tools: OwnTool[] }
  | { row?: never; reason: string; tools: OwnTool[] };

/**
 * Errors after which the turn goes on without a browser. Any other refusal reaches the caller before anything is
 * spent.
 */
const goesOnWithout: ReadonlySet<string> = new Set(['FEATURE_NOT_SUPPORTED', 'RATE_LIMITED', 'TIMEOUT']);

interface Bounds {
  toolMode: 'read_only' | 'auto';
  /** Policy of the client the turn runs as. */
  clientPolicy: BrowserPolicy | undefined;
}

/** Opens the session's browser for a turn. In a read-only session, the browser is read-only too. */
export async function attachBrowser(
  context: ProjectContext,
  chat: SessionRow,
  turnId: string,
  asked: { policy?: BrowserPolicy | undefined; profileId?: string | undefined },
  { toolMode, clientPolicy }: Bounds,
): Promise<TurnBrowser> {
  try {
    const row = await bounded(context, await openOfChat({ context, chat }, asked), clientPolicy);
    const bound: BrowserPolicy = { mode: toolMode === 'read_only' ? 'read_only' : 'allow_all' };
    const policy = narrow(row.effective as BrowserPolicy, bound);
    return { row, policy, tools: browserTools(context, row, { turnId, policy }) };
  } catch (error) {
    if (!(error instanceof Refusal) || !goesOnWithout.has(error.code)) throw error;
    return { reason: error.message, tools: [] };
  }
}

/** Narrows the granted policy to what the client allows. In force until a turn runs as another client. */
async function bounded(
  { db, liveBrowsers }: Context,
  row: rows.BrowserRow,
  clientPolicy: BrowserPolicy | undefined,
): Promise<rows.BrowserRow> {
  const granted = row.policy as BrowserPolicy;
  const effective = clientPolicy ? narrow(granted, clientPolicy) : granted;
  if (samePolicy(effective, row.effective as BrowserPolicy)) return row;
  await db.run(rows.bound, { id: row.id, effective });
  const now = { ...row, effective };
  // Applies the policy to pages already open.
  await liveBrowsers.open(now);
  return now;
}

/** Records in which step of the turn each call was made, known only after the step. */
export async function noteSteps(
  { db }: Context,
  turnId: string,
  { tools }: TurnBrowser,
  steps: readonly { index: number; calls: readonly { id: string; name: string }[] }[],
): Promise<void> {
  const ours = new Set(tools.map(({ name }) => name));
  for (const { index: stepIndex, calls } of steps)
    for (const { id: toolCallId, name } of calls)
      if (ours.has(name)) await db.run(entries.noteStep, { turnId, toolCallId, stepIndex });
}

/** For the response of the turn. */
export async function presentTurnBrowser(
  context: Context,
  turnId: string,
  browser: TurnBrowser,
): Promise<Shown> {
  const { db, actor } = context;
  if (!browser.row) return { attached: false, reason: browser.reason };
  const owner = { organizationId: actor.organization.id, userId: actor.user.id };
  const row = (await db.row(rows.find, { ...owner, id: browser.row.id })) ?? browser.row;
  return {
    attached: true,
    ...presentSessionBrowser(row),
    effectivePolicy: listsOf(browser.policy),
    screenshots: presentScreenshots(context, await db.rows(entries.ofTurn, { turnId })),
  };
}

/** For the trace of the turn; empty if it used no browser. */
export async function presentTracedBrowser(context: Context, turnId: string) {
  const sent = await context.db.rows(entries.ofTurn, { turnId });
  const last = sent.at(-1);
  if (!last) return {};
  const bootId = sent.findLast((entry) => entry.bootId !== null)?.bootId;
  return {
    browser: { browserSessionId: last.sessionId, ...(bootId != null && { bootId }) },
    screenshots: presentScreenshots(context, sent),
  };
}
