import { type Db, statement } from '../database.ts';

export interface BlobRow {
  id: string;
  organizationId: string;
  projectId: string | null;
  contentType: string;
  size: number;
  sha256: string;
}

const insert = statement(
  'blobs.insert',
  `insert into blobs (id, organization_id, project_id, content_type, size, sha256) values ($1, $2, $3, $4, $5, $6)`,
);
// Served by blob_garbage_since. An hour of grace: a backup that began before the deletion still finds the file.
const garbage = statement<{ id: string }>(
  'blobs.garbage',
  `select blob_id as id from blob_garbage where since < now() - interval '1 hour' order by since limit 1000`,
);
const forget = statement('blobs.forget-garbage', 'delete from blob_garbage where blob_id = any($1)');

const find = statement<BlobRow>(
  'blobs.find',
  `select id, organization_id as "organizationId", project_id as "projectId", content_type as "contentType", size, sha256
   from blobs where id = $2 and project_id = $1`,
);
const noteGarbage = statement('blobs.note-garbage', 'insert into blob_garbage (blob_id) values ($1)');

export function findBlob(db: Db, projectId: string, id: string): Promise<BlobRow | undefined> {
  return db.row(find, [projectId, id]);
}

/** A file that nobody refers to yet. */
export async function noteBlobGarbage(db: Db, id: string): Promise<void> {
  await db.run(noteGarbage, [id]);
}

export async function insertBlob(db: Db, blob: BlobRow): Promise<void> {
  await db.run(insert, [
    blob.id,
    blob.organizationId,
    blob.projectId,
    blob.contentType,
    blob.size,
    blob.sha256,
  ]);
}

export async function blobGarbage(db: Db): Promise<string[]> {
  return (await db.rows(garbage)).map((row) => row.id);
}

export async function forgetBlobGarbage(db: Db, ids: string[]): Promise<void> {
  await db.run(forget, [ids]);
}
