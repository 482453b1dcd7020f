import { listClientRows } from '../../platform/database/queries/clients.ts';
import type { Verb } from '../verbs.ts';
import { presentRow } from './present.ts';
import { mostClients } from './rules.ts';

export const listClients: Verb<'listClients'> = async (context, { includePrivateBacking }) => {
  const options = { withPrivate: includePrivateBacking === 'true', most: mostClients };
  const rows = await listClientRows(context.db, context.project.id, options);
  return { items: rows.map(presentRow) };
};
