import type { BrowserRow } from '../../platform/database/queries/browser-sessions.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { beginEntry } from './entries.ts';
import { agentBrowser } from './find.ts';

interface Note {
  text: string;
  commandId?: string | undefined;
  tabId?: string | undefined;
}

export const browserAgentNote: Verb<'browserAgentNote'> = async (asking, { body }) => {
  const { context, row } = await agentBrowser(asking, body);
  return writeNote(context, row, body);
};

export async function writeNote(context: Context, row: BrowserRow, { text, commandId, tabId }: Note) {
  const payload = JSON.stringify([text, tabId ?? null]);
  const note = { kind: 'note', payload, command: null, outcome: { text }, commandId, tabId } as const;
  const begun = await beginEntry(context, row, note);
  if (begun.kind === 'begun') return { sessionId: row.id, commandId: begun.commandId, seq: begun.seq };
  const { seq, commandId: known } = begun.entry;
  return { sessionId: row.id, commandId: known ?? '', seq, replay: true as const };
}
