import { bytes, orNull, type RowOf, table, text } from '../columns.ts';
import { query } from '../query.ts';

const key = { id: text };
export const keys = query('vault.keys', 'select id from vault_keys order by id', {}, key);
/** Whether values may still be sealed under the key; it then stays valid until the transaction ends. */
export const holdKey = query(
  'vault.hold-key',
  'select id from vault_keys where id = :id for key share',
  key,
  key,
);
/** Conflicts with `holdKey`, so that a rotation waits for writers of encrypted values. */
export const holdAllKeys = query('vault.hold-all-keys', 'select id from vault_keys for update', {}, key);
/** Serializes the registration of keys until the transaction ends. */
export const lockKeys = query('vault.lock-keys', 'lock table vault_keys in share row exclusive mode', {});
export const registerKey = query(
  'vault.register-key',
  'insert into vault_keys (id) values (:id) on conflict do nothing',
  key,
);
export const retireOtherKeys = query('vault.retire-other-keys', 'delete from vault_keys where id <> :kept', {
  kept: text,
});

const values = table('sealed_values', {
  id: text,
  keyId: text,
  organizationId: text,
  projectId: orNull(text),
  ciphertext: bytes,
});
const sealed = values.pick(['id', 'keyId', 'ciphertext']);
export type SealedRow = RowOf<typeof sealed>;

export const find = query(
  'vault.find',
  'select id, key_id as "keyId", ciphertext from sealed_values where id = :id',
  { id: text },
  sealed,
);
/** A batch of values not yet under the key, in ID order. */
export const next = query(
  'vault.next',
  `select id, key_id as "keyId", ciphertext from sealed_values
   where id > :after and key_id <> :keyId order by id limit 500 for update`,
  { after: text, keyId: text },
  sealed,
  { index: 'sealed_values_pkey' },
);
export const insert = query('vault.insert', values.insert(), values.columns);
export const replace = query(
  'vault.replace',
  `update sealed_values set ${values.set(['keyId', 'ciphertext'])} where id = :id`,
  sealed,
);
export const remove = query('vault.delete', 'delete from sealed_values where id = :id', { id: text });
