import { listClientRows } from '../../platform/database/queries/clients.ts';
import type { Verb } from '../verb.ts';
import { presentRow } from './present.ts';

export const listClients: Verb<'listClients'> = async (context, { includePrivateBacking }) => {
  const rows = await listClientRows(context.db, context.project.id, includePrivateBacking === 'true');
  return { items: rows.map(presentRow) };
};
