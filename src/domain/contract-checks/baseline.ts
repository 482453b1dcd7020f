import { largestBaseline, maxBaselineElements } from '../../contract/contract-checks.ts';
import { Refusal } from '../../contract/errors.ts';
import * as baselines from '../../platform/database/queries/contract-baselines.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { hasMoreElements } from '../../platform/json/bounds.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ServerContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { exportServer } from '../live/export.ts';
import { contentOf, type ExportContent } from '../live/export-content.ts';

export const getServerContractBaseline: Verb<'getServerContractBaseline'> = async (context) => {
  const { savedAt, savedBy, hash, content } = await savedBaseline(context);
  return { savedAt, savedBy, hash, export: { contentHash: hash, ...content } };
};

export const setServerContractBaseline: Verb<'setServerContractBaseline'> = async (context, input) => {
  const { serverId, body } = input;
  const { export: given, ...options } = body;
  if (given) refuseLarge(given);
  const { content, contentHash: hash } = await contentOf(
    given ?? (await exportServer(context, { ...input, body: options })),
  );
  refuseLarge(content);
  const text = JSON.stringify(content);
  if (Buffer.byteLength(text) > largestBaseline) throw tooLarge();
  const { project, actor } = context;
  const savedBy = actor.user.id;
  return writeInProject(context, async (db) => {
    found(await db.row(servers.lock, { projectId: project.id, id: serverId }), 'server');
    const row = { serverId, projectId: project.id, hash, export: text, savedBy };
    const { savedAt } = await db.one(baselines.put, row);
    await audit(db, context, 'contract-baseline.save', serverId);
    return { savedAt, savedBy, hash };
  });
};

export const deleteServerContractBaseline: Verb<'deleteServerContractBaseline'> = (context, { serverId }) =>
  writeInProject(context, async (db) => {
    if ((await db.run(baselines.remove, { projectId: context.project.id, serverId })) === 0)
      throw noBaseline();
    await audit(db, context, 'contract-baseline.delete', serverId);
    return { serverId, deleted: true };
  });

export async function savedBaseline({ db, project, server }: ServerContext): Promise<{
  savedAt: number;
  savedBy: string | null;
  hash: string;
  content: ExportContent;
}> {
  const row = await db.row(baselines.find, { projectId: project.id, serverId: server.id });
  if (!row) throw noBaseline();
  const { export: text, ...rest } = row;
  return { ...rest, content: JSON.parse(text) as ExportContent };
}

/** Bounds the size: parsing, hashing and comparing all take time proportional to it. */
export function refuseLarge(baseline: unknown): void {
  if (hasMoreElements(baseline, maxBaselineElements)) throw tooLarge();
}

function tooLarge(): Refusal {
  const values = maxBaselineElements.toLocaleString('en');
  return new Refusal(
    'VALIDATION_ERROR',
    `A baseline has at most ${largestBaseline >> 20} MiB of JSON and ${values} values`,
    { details: { reason: 'BASELINE_TOO_LARGE' } },
  );
}

function noBaseline(): Refusal {
  return new Refusal('NOT_FOUND', 'No contract baseline is saved for this server. Save one, or send one', {
    // Distinguishes this baseline from that of a run comparison, which has another remedy.
    details: { reason: 'BASELINE_NOT_FOUND', baselineOf: 'server contract' },
  });
}
