import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import * as findings from '../../platform/database/queries/journey-findings.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { ProjectContext } from '../context.ts';
import { pageBy } from '../paging.ts';
import { found } from '../refusals.ts';
import type { Verb } from '../verb.ts';

type Finding = OutputOf<Operations['listSwarmFindings']>['items'][number];
type Place = readonly [at: number, id: string];

interface Shown {
  row: findings.FindingRow;
  waves: findings.WaveRow[];
}

const mostWaves = 20;

export const listSwarmFindings: Verb<'listSwarmFindings'> = (context, page) => {
  const { db, project } = context;
  const projectId = project.id;
  return pageBy(context, page, {
    scope: ['journey-findings', projectId],
    placeOf: ({ row }: Shown): Place => [row.updatedAt, row.id],
    fetch: async (after: Place | undefined, most) => {
      const place = { before: after?.[0] ?? null, beforeId: after?.[1] ?? '' };
      const rows = await db.rows(findings.list, { projectId, most, ...place });
      const fingerprints = rows.map(({ fingerprint }) => fingerprint);
      const waves = await db.rows(findings.waves, { projectId, fingerprints, most: mostWaves });
      return rows.map((row) => ({
        row,
        waves: waves.filter(({ fingerprint }) => fingerprint === row.fingerprint),
      }));
    },
    present: ({ row, waves }: Shown) => presentFinding(row, waves),
  });
};

function presentFinding(row: findings.FindingRow, waves: readonly findings.WaveRow[]): Finding {
  const { projectId: _, subject, ...finding } = row;
  return {
    ...finding,
    subject: subject as Finding['subject'],
    waves: waves.map(({ waveId, at, affected, total, fired }) => ({ waveId, at, affected, total, fired })),
  };
}

export const dismissSwarmFinding: Verb<'dismissSwarmFinding'> = (context, { findingId }) =>
  setDismissed(context, findingId, true);

export const undismissSwarmFinding: Verb<'undismissSwarmFinding'> = (context, { findingId }) =>
  setDismissed(context, findingId, false);

function setDismissed(
  context: ProjectContext,
  id: string,
  dismissed: boolean,
): Promise<OutputOf<Operations['dismissSwarmFinding']>> {
  return writeInProject(context, async (db) => {
    const projectId = context.project.id;
    found(await db.row(findings.dismiss, { projectId, id, dismissed }), 'finding');
    await audit(db, context, dismissed ? 'journey-finding.dismiss' : 'journey-finding.undismiss', id);
    return { id, projectId, dismissed };
  });
}
