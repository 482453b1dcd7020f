import { orNull, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const baselines = table('contract_baselines', {
  serverId: text,
  projectId: text,
  hash: text,
  export: text,
  savedBy: orNull(text),
  savedAt: time,
});
const which = baselines.pick(['projectId', 'serverId']);

export const find = query(
  'contract-baselines.find',
  `select ${baselines.all()} from contract_baselines where server_id = :serverId and project_id = :projectId`,
  which,
  baselines.columns,
);
export const put = query(
  'contract-baselines.put',
  `insert into contract_baselines (server_id, project_id, hash, export, saved_by)
   values (:serverId, :projectId, :hash, :export, :savedBy)
   on conflict on constraint contract_baselines_pkey do update set hash = excluded.hash, export = excluded.export,
     saved_by = excluded.saved_by, saved_at = now()
   returning saved_at as "savedAt"`,
  baselines.pick(['serverId', 'projectId', 'hash', 'export', 'savedBy']),
  baselines.pick(['savedAt']),
);
export const remove = query(
  'contract-baselines.remove',
  'delete from contract_baselines where server_id = :serverId and project_id = :projectId',
  which,
);
