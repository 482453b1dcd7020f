import type { CommandResult } from '../../browser/command.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import * as entries from '../../platform/database/queries/browser-entries.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { newId } from '../../platform/ids.ts';
import { storableJson } from '../../platform/json/storable.ts';
import { conflict } from '../base/refusals.ts';
import { audit } from '../context/audit.ts';
import type { Context } from '../context/context.ts';
import { emptyEntry } from '../parts/browser-events.ts';
import { closedBrowser, noBrowser } from '../parts/browser-refusals.ts';

const maxEntries = 10_000;
/** Maximum number of bytes of a screenshot. */
const maxPictureBytes = 32 * 1024 * 1024;

/** A command or note sent to a browser. */
export interface SentEntry {
  kind: 'command' | 'note';
  commandId: string | undefined;
  tabId: string | undefined;
  /** The full input, to distinguish a repeated request from a different one under the same ID. */
  payload: string;
  /** The stored form, without secrets. */
  command: unknown;
  outcome?: unknown;
  turn?: { turnId: string; toolCallId: string; toolName: string } | undefined;
}

export type BegunEntry =
  | { kind: 'begun'; seq: number; commandId: string }
  | { kind: 'repeated'; entry: entries.EntryRow };

/** Writes the receipt; of several concurrent requests with the same ID, one executes. */
export function beginEntry(context: Context, row: rows.BrowserRow, sent: SentEntry): Promise<BegunEntry> {
  const { db, vault } = context;
  const { kind, payload, command, tabId, outcome = null, turn = {} } = sent;
  const commandId = sent.commandId ?? newId('cmd');
  const payloadHash = vault.fingerprint(`${kind} ${payload}`);
  const sessionId = row.id;
  return db.transaction(async (trx) => {
    if (!(await trx.row(rows.lock, { id: sessionId }))) throw noBrowser();
    const earlier = await trx.row(entries.findByCommand, { sessionId, commandId });
    if (earlier && earlier.payloadHash !== payloadHash)
      throw conflict('This commandId was used for another command. Use a new one', 'COMMAND_ID_REUSED', {
        commandId,
      });
    if (earlier) return { kind: 'repeated', entry: earlier };
    const { seq, state, closedReason } = await trx.one(entries.nextPlace, { sessionId });
    if (state === 'closed') throw closedBrowser({ closedReason, runKey: row.runKey });
    if (seq > maxEntries)
      throw conflict(
        `This browser has reached its limit of ${maxEntries} commands. Open another one`,
        'BROWSER_FULL',
      );
    await trx.run(entries.insert, {
      ...emptyEntry,
      ...turn,
      sessionId,
      seq,
      kind,
      commandId,
      payloadHash,
      command,
      outcome,
      tabId: tabId ?? null,
      state: kind === 'note' ? 'done' : 'pending',
    });
    await audit(trx, context, `browser-session.${kind}`, sessionId, { commandId });
    return { kind: 'begun', seq, commandId };
  });
}

/** The stored form of a command. Typed text may be secret, so only its length is stored. */
export function keptCommand(command: Record<string, unknown>): Record<string, unknown> {
  const { value, ...rest } = command;
  const typed = rest['op'] === 'act' && (rest['verb'] === 'type' || rest['verb'] === 'accept_dialog');
  return typed && typeof value === 'string' ? { ...rest, valueLength: value.length } : command;
}

export interface KeptResult extends Omit<CommandResult, 'observation'> {
  observation?: Record<string, unknown>;
  /** Size of the screenshot: in bytes, and in pixels. */
  picture?: { bytes: number; width: number; height: number };
}

/** Stores the result of a command, and its screenshot. */
export async function settleEntry(
  { db, blobs, clock }: Pick<Context, 'db' | 'blobs' | 'clock'>,
  row: rows.BrowserRow,
  { seq, bootId, replayed }: { seq: number; bootId: string | null; replayed: boolean },
  result: CommandResult,
): Promise<{ kept: KeptResult; blobId: string | null }> {
  const { id: sessionId, organizationId, projectId } = row;
  const { observation, ...rest } = result;
  const png = observation?.mode === 'screenshot' ? observation.png : undefined;
  const blobId = png ? newId('blob', clock()) : null;
  const kept = JSON.parse(storableJson({ ...rest, ...keptObservation(observation) })) as KeptResult;
  if (png && blobId !== null) await db.run(blobRows.noteGarbage, { id: blobId });
  const stored = png && blobId !== null ? await blobs.put(blobId, one(png), maxPictureBytes) : undefined;
  const state = result.result === 'unknown' ? 'unknown' : 'done';
  await db.transaction(async (trx) => {
    if (stored && blobId !== null) {
      await trx.run(blobRows.insert, {
        id: blobId,
        organizationId,
        projectId,
        contentType: 'image/png',
        ...stored,
      });
      await trx.run(blobRows.forgetGarbage, { ids: [blobId] });
    }
    const outcome = replayed ? kept : withoutPage(kept);
    const settled = await trx.run(entries.settle, { sessionId, seq, state, outcome, bootId, blobId });
    if (settled === 0) throw noBrowser();
    await trx.run(rows.touch, { id: sessionId });
  });
  return { kept, blobId };
}

/** A command without a client-chosen ID cannot be repeated, so its page content need not be stored. */
function withoutPage({ observation, ...rest }: KeptResult): KeptResult {
  return { ...rest, ...(observation && { observation: { mode: observation['mode'] } }) };
}

function keptObservation(observation: CommandResult['observation']): Partial<KeptResult> {
  if (!observation) return {};
  if (observation.mode !== 'screenshot') return { observation: { ...observation } };
  const { mode, png, width, height } = observation;
  return { observation: { mode, width, height }, picture: { bytes: png.length, width, height } };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
