import type { z } from 'zod';
import type { CommandResult } from '../../browser/command.ts';
import { BrowserFailure } from '../../browser/failure.ts';
import { type BrowserPolicy, Permissions } from '../../browser/policy.ts';
import type { BrowserAgentCommand } from '../../contract/browser-commands.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { sortKeys } from '../../platform/canonical.ts';
import * as entries from '../../platform/database/queries/browser-entries.ts';
import type { BrowserRow } from '../../platform/database/queries/browser-sessions.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { browserRefusal } from '../parts/browser-refusals.ts';
import { beginEntry, type KeptResult, keptCommand, type SentEntry, settleEntry } from './entries.ts';
import { agentBrowser } from './find.ts';
import { presentPending, presentReceipt } from './present.ts';

type Receipt = OutputOf<Operations['browserAgentCommand']>;

export interface SentCommand {
  command: z.output<typeof BrowserAgentCommand>;
  commandId?: string | undefined;
  tabId?: string | undefined;
  /** Set if a model sends the command: its turn and its policy. */
  turn?: (NonNullable<SentEntry['turn']> & { policy: BrowserPolicy }) | undefined;
}

export const browserAgentCommand: Verb<'browserAgentCommand'> = async (asking, { body }) => {
  const { context, row } = await agentBrowser(asking, body);
  return sendCommand(context, row, body);
};

/** Executes a command, once per command ID, however often it is sent. Writes its receipt first. */
export async function sendCommand(context: Context, row: BrowserRow, sent: SentCommand): Promise<Receipt> {
  const { command, commandId, tabId, turn } = sent;
  const { policy, ...place } = turn ?? {};
  const begun = await beginEntry(context, row, {
    kind: 'command',
    commandId,
    tabId,
    payload: JSON.stringify(sortKeys({ command, tabId })),
    command: keptCommand(command),
    ...(turn && { turn: place as SentEntry['turn'] }),
  });
  if (begun.kind === 'repeated') return repeated(context, row, begun.entry);
  const { seq } = begun;
  const replayed = commandId !== undefined;
  const forbidden = policy && new Permissions(policy).refusalOfCommand(command);
  let performed = false;
  try {
    const ran =
      forbidden === undefined
        ? await context.liveBrowsers.use(row, async ({ browser, bootId }) => {
            const result = await browser.perform(command, { tabId }).catch(asRefused);
            performed = true;
            return { bootId, ...(await settleEntry(context, row, { seq, bootId, replayed }, result)) };
          })
        : {
            bootId: null,
            ...(await settleEntry(context, row, { seq, bootId: null, replayed }, refused(forbidden))),
          };
    return presentReceipt(context, row, { seq, commandId: begun.commandId, ...ran });
  } catch (error) {
    // A command that did not start may be retried under the same ID. After any other error it may have run, so the
    // receipt stays.
    const notBegun = !performed && (error instanceof BrowserFailure || error instanceof Refusal);
    await context.db.run(notBegun ? entries.remove : entries.giveUp, { sessionId: row.id, seq });
    throw browserRefusal(error);
  }
}

/** A browser-side refusal changed nothing, so it becomes a result; other errors are thrown. */
function asRefused(error: unknown): CommandResult {
  if (error instanceof BrowserFailure && error.kind === 'refused') return refused(error.message, 'refused');
  throw error;
}

function refused(reason: string, refusal: CommandResult['refusal'] = 'not-allowed'): CommandResult {
  const nowhere = { tabId: '', url: '', title: '', state: '', tabs: [] };
  return { result: 'refused', ...(refusal && { refusal }), reason, ...nowhere };
}

function repeated(context: Context, row: BrowserRow, entry: entries.EntryRow): Receipt {
  const { seq, commandId, bootId, blobId, outcome } = entry;
  if (outcome === null) return presentPending(row, entry);
  const told = { seq, commandId: commandId ?? '', bootId, kept: outcome as KeptResult, blobId };
  return { ...presentReceipt(context, row, told), replay: true };
}
