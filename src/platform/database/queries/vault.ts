import { type Db, statement } from '../database.ts';

export interface SealedRow {
  id: string;
  keyId: string;
  ciphertext: Buffer;
}

const registered = statement<{ id: string }>('vault.keys', 'select id from vault_keys order by id');
// A writer holds its key until it commits; a rotation holds them all.
const hold = statement<{ id: string }>('vault.hold', 'select id from vault_keys where id = $1 for key share');
const holdAll = statement<{ id: string }>('vault.hold-all', 'select id from vault_keys for update');
const lockKeys = statement('vault.lock', 'lock table vault_keys in share row exclusive mode');
const register = statement(
  'vault.register',
  'insert into vault_keys (id) values ($1) on conflict do nothing',
);
const retire = statement('vault.retire', 'delete from vault_keys where id <> $1');
const insert = statement(
  'vault.insert',
  'insert into sealed_values (id, key_id, organization_id, project_id, ciphertext) values ($1, $2, $3, $4, $5)',
);
const read = statement<SealedRow>(
  'vault.read',
  'select id, key_id as "keyId", ciphertext from sealed_values where id = $1',
);
const remove = statement('vault.delete', 'delete from sealed_values where id = $1');
const next = statement<SealedRow>(
  'vault.next',
  `select id, key_id as "keyId", ciphertext from sealed_values
   where id > $1 and key_id <> $2 order by id limit 500 for update`,
);
const replace = statement(
  'vault.replace',
  'update sealed_values set key_id = $2, ciphertext = $3 where id = $1',
);

export async function registeredKeys(db: Db): Promise<string[]> {
  return (await db.rows(registered)).map((row) => row.id);
}

/** Whether values may still be sealed under the key; it then stays valid until the transaction ends. */
export async function holdKey(db: Db, id: string): Promise<boolean> {
  return (await db.row(hold, [id])) !== undefined;
}

export async function holdAllKeys(db: Db): Promise<void> {
  await db.rows(holdAll);
}

/** Until the transaction ends nobody else registers a key. */
export async function lockKeyList(db: Db): Promise<void> {
  await db.run(lockKeys);
}

export async function registerKey(db: Db, id: string): Promise<void> {
  await db.run(register, [id]);
}

export async function retireKeys(db: Db, kept: string): Promise<void> {
  await db.run(retire, [kept]);
}

export async function insertSealed(
  db: Db,
  row: SealedRow & { organizationId: string; projectId: string | null },
): Promise<void> {
  await db.run(insert, [row.id, row.keyId, row.organizationId, row.projectId, row.ciphertext]);
}

export function readSealed(db: Db, id: string): Promise<SealedRow | undefined> {
  return db.row(read, [id]);
}

export async function deleteSealed(db: Db, id: string): Promise<void> {
  await db.run(remove, [id]);
}

/** A batch of values not yet under the key, in id order. */
export function nextSealed(db: Db, after: string, key: string): Promise<SealedRow[]> {
  return db.rows(next, [after, key]);
}

export async function replaceSealed(db: Db, id: string, keyId: string, ciphertext: Buffer): Promise<void> {
  await db.run(replace, [id, keyId, ciphertext]);
}
