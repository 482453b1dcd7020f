import { oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const links = table('artifact_links', {
  tokenHash: text,
  purpose: oneOf<'read' | 'upload'>(),
  projectId: text,
  organizationId: text,
  userId: text,
  blobId: orNull(text),
  expiresAt: time,
});
export type LinkRow = RowOf<typeof links.columns>;

const which = links.pick(['tokenHash', 'purpose']);

export const insert = query('artifact-links.insert', links.insert(), links.columns);
export const find = query(
  'artifact-links.find',
  `select ${links.all()} from artifact_links
   where token_hash = :tokenHash and purpose = :purpose and expires_at > now()`,
  which,
  links.columns,
);
export const remove = query(
  'artifact-links.remove',
  'delete from artifact_links where token_hash = :tokenHash returning purpose',
  { tokenHash: text },
  { purpose: text },
);
export const prune = query('artifact-links.prune', 'delete from artifact_links where expires_at < now()', {});
