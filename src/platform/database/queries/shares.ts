import { bytes, integer, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const shares = table(
  'shares',
  {
    projectId: text,
    kind: oneOf<'evalRun' | 'conformanceRun'>(),
    targetId: text,
    policyVersion: integer,
    linkHash: orNull(bytes),
    linkSealedId: orNull(text),
    expiresAt: orNull(time),
    updatedAt: time,
  },
  { updatedBy: text },
);
const sealed = { ...shares.columns, linkKeyId: orNull(text), linkCiphertext: orNull(bytes) };
export type ShareRow = RowOf<typeof sealed>;
const all = `${shares.all('s')}, v.key_id as "linkKeyId", v.ciphertext as "linkCiphertext"`;
const from = 'from shares s left join sealed_values v on v.id = s.link_sealed_id';
const one = shares.pick(['projectId', 'kind', 'targetId']);
const which = 's.project_id = :projectId and s.kind = :kind and s.target_id = :targetId';

export const find = query('shares.find', `select ${all} ${from} where ${which}`, one, sealed);
/** Serializes changes of a share, including the first two. */
export const lockShare = query(
  'shares.lock-share',
  `select from pg_advisory_xact_lock(hashtextextended('share ' || :projectId || ' ' || :kind || ' ' || :targetId, 4700))`,
  { projectId: text, kind: text, targetId: text },
);
const written = [
  'projectId',
  'kind',
  'targetId',
  'policyVersion',
  'linkHash',
  'linkSealedId',
  'expiresAt',
  'updatedBy',
] as const;
export const put = query(
  'shares.put',
  `${shares.insert(written)} on conflict on constraint shares_pkey
   do update set ${shares.set(['policyVersion', 'linkHash', 'linkSealedId', 'expiresAt', 'updatedBy'])}, updated_at = now()`,
  shares.pick(written),
);
/** Undefined once the share has expired. */
export const byLink = query(
  'shares.by-link',
  `select ${all} ${from} join projects p on p.id = s.project_id and p.deleted_at is null
   where s.link_hash = :linkHash and (s.expires_at is null or s.expires_at > now())`,
  { linkHash: bytes },
  sealed,
);
