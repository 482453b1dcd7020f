import { problemOfOrigins } from '../../contract/browser-origins.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { checkDocumentSize } from '../base/body-limits.ts';
import { browserPolicyOf, type ClientConfig, serversIn } from './config.ts';

/** Limits the size, since the document is sorted on each read, and refuses an unenforceable browser policy. */
export function checkConfig(config: ClientConfig): void {
  checkDocumentSize('config', config);
  const problem = problemOfOrigins(browserPolicyOf(config)?.originAllowlist);
  if (problem !== undefined) throw new Refusal('VALIDATION_ERROR', `browserPolicy: ${problem}`);
}

/** Every server added to a configuration must exist in this project. */
export async function checkServers(
  db: Db,
  projectId: string,
  config: ClientConfig,
  before: ClientConfig = {},
): Promise<void> {
  const { required, optional } = serversIn(config);
  const known = serversIn(before);
  const old = new Set([...known.required, ...known.optional]);
  const added = [...required, ...optional].filter((id) => !old.has(id));
  if (added.length === 0) return;
  const held = new Set((await db.rows(servers.hold, { projectId, ids: added })).map(({ id }) => id));
  const missing = added.filter((id) => !held.has(id));
  if (missing.length > 0)
    throw new Refusal(
      'VALIDATION_ERROR',
      `${required.includes(missing[0] as string) ? 'serverIds' : 'optionalServerIds'}: There is no server ${JSON.stringify(missing[0])} in this project`,
      { details: { serverIds: missing } },
    );
}
