import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { audit } from '../context/audit.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { noBrowser } from '../parts/browser-refusals.ts';
import { agentBrowser, ownerOf } from './find.ts';
import { presentAgentBrowser } from './present.ts';

const byOwner = 'it was closed by its owner';

export const browserAgentClose: Verb<'browserAgentClose'> = async (asking, { body }) => {
  const { context, row } = await agentBrowser(asking, body);
  return presentAgentBrowser(await closeBrowser(context, row));
};

/** Closes the browser for good. Closing a closed browser is no error. */
export async function closeBrowser(context: Context, row: rows.BrowserRow): Promise<rows.BrowserRow> {
  const { db, liveBrowsers } = context;
  if (row.state !== 'closed') await liveBrowsers.close(row, byOwner);
  await audit(db, context, 'browser-session.close', row.id);
  const closed = await db.row(rows.find, { ...ownerOf(context), id: row.id });
  if (!closed) throw noBrowser();
  return closed;
}
