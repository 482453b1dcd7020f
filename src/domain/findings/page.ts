import type { Db } from '../../platform/database/database.ts';
import type { FindingQueries, FindingRow, WaveRow } from '../../platform/database/queries/findings.ts';
import type { Services } from '../context.ts';
import { type PageRequest, pageBy } from '../paging.ts';

interface Shown {
  row: FindingRow;
  waves: WaveRow[];
}
type Place = readonly [at: number, id: string];

const mostWaves = 20;

/** Findings of an owner, each with the latest waves that cover it, the oldest of them first. */
export function pageOfFindings<Item>(
  context: Pick<Services, 'cursors'> & { db: Db },
  page: PageRequest,
  { name, findings, ownerId }: { name: string; findings: FindingQueries; ownerId: string },
  present: (row: FindingRow, waves: WaveRow[]) => Item,
) {
  const { db } = context;
  return pageBy(context, page, {
    scope: [name, ownerId],
    placeOf: ({ row }: Shown): Place => [row.updatedAt, row.id],
    fetch: async (after: Place | undefined, most) => {
      const place = { before: after?.[0] ?? null, beforeId: after?.[1] ?? '' };
      const rows = await db.rows(findings.list, { ownerId, most, ...place });
      const fingerprints = rows.map(({ fingerprint }) => fingerprint);
      const waves = await db.rows(findings.waves, { ownerId, fingerprints, most: mostWaves });
      return rows.map((row) => ({
        row,
        waves: waves.filter(({ fingerprint }) => fingerprint === row.fingerprint),
      }));
    },
    present: ({ row, waves }: Shown) => present(row, waves),
  });
}
