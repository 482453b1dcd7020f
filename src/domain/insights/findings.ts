import { type FindingStatus } from '../../evaluation/index.ts';
import type { Db } from '../../platform/database/database.ts';
import {
  type FindingQueries,
  type FindingRow,
  journeyFindings,
  studyFindings,
  type WaveRow,
} from '../../platform/database/queries/findings.ts';
import { type PageRequest, pageBy } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';

/** Findings belong to the journeys of a project, or to a study. */
export interface FindingOwner {
  kind: 'journey' | 'study';
  /** ID of the project or study. */
  id: string;
}

type Place = readonly [at: number, id: string];

const maxWaves = 20;

export function findingQueries({ kind }: FindingOwner): FindingQueries {
  return kind === 'journey' ? journeyFindings : studyFindings;
}

/** Statuses of the findings that exist already, by fingerprint. */
export async function findingStatuses(
  db: Db,
  owner: FindingOwner,
  observed: readonly { fingerprint: string }[],
): Promise<Map<string, FindingStatus>> {
  const fingerprints = observed.map(({ fingerprint }) => fingerprint);
  const rows = await db.rows(findingQueries(owner).withFingerprints, { ownerId: owner.id, fingerprints });
  return new Map(rows.map(({ fingerprint, status }) => [fingerprint, status]));
}

/** Each finding is presented with the latest waves that cover it, oldest first. */
export function pageOfFindings<Item>(
  context: Pick<ProjectContext, 'db' | 'cursors'>,
  page: PageRequest,
  owner: FindingOwner,
  present: (row: FindingRow, waves: Omit<WaveRow, 'fingerprint'>[]) => Item,
) {
  const { db } = context;
  const { list, waves } = findingQueries(owner);
  return pageBy(context, page, {
    scope: [`${owner.kind}-findings`, owner.id],
    placeOf: ({ row }: { row: FindingRow }): Place => [row.updatedAt, row.id],
    fetch: async (after: Place | undefined, most) => {
      const place = { before: after?.[0] ?? null, beforeId: after?.[1] ?? '' };
      const rows = await db.rows(list, { ownerId: owner.id, most, ...place });
      const fingerprints = rows.map(({ fingerprint }) => fingerprint);
      const covering = await db.rows(waves, { ownerId: owner.id, fingerprints, most: maxWaves });
      return rows.map((row) => ({
        row,
        waves: covering.flatMap(({ fingerprint, ...wave }) =>
          fingerprint === row.fingerprint ? [wave] : [],
        ),
      }));
    },
    present: ({ row, waves: own }) => present(row, own),
  });
}

/** Runs in the caller's transaction. */
export async function setDismissed(
  context: ProjectContext,
  db: Db,
  owner: FindingOwner,
  id: string,
  dismissed: boolean,
): Promise<void> {
  const changed = await db.row(findingQueries(owner).dismiss, { ownerId: owner.id, id, dismissed });
  found(changed, 'finding');
  await audit(db, context, `${owner.kind}-finding.${dismissed ? 'dismiss' : 'undismiss'}`, id);
}
