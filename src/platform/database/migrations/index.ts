import type pg from 'pg';
import { foundation } from './0001-foundation.ts';
import { liveServers } from './0002-live-servers.ts';
import { clientsAndEnvironments } from './0003-clients-and-environments.ts';
import { leases } from './0004-leases.ts';
import { names } from './0005-names.ts';
import { idempotencyClaims } from './0006-idempotency-claims.ts';
import { live } from './0007-live.ts';
import { serverChanges } from './0008-server-changes.ts';
import { evals } from './0009-evals.ts';
import { evalsInCi } from './0010-evals-in-ci.ts';
import { suiteFiles } from './0011-suite-files.ts';
import { contractBaselines } from './0012-contract-baselines.ts';
import { judging } from './0013-judging.ts';
import { people } from './0014-people.ts';
import { linksAndAuditDetails } from './0015-links-and-audit-details.ts';
import { chatSessions } from './0016-chat-sessions.ts';
import { browserSessions } from './0017-browser-sessions.ts';
import { swarms } from './0018-swarms.ts';
import { studies } from './0019-studies.ts';
import { tunnels } from './0020-tunnels.ts';
import { webhooks } from './0021-webhooks.ts';
import { conformance } from './0022-conformance.ts';
import { readiness } from './0023-readiness.ts';
import { registry } from './0024-registry.ts';
import { versions } from './0025-versions.ts';
import { growth } from './0026-growth.ts';
import { fairSchedules } from './0027-fair-schedules.ts';
import { organizationColumns } from './0028-organization-columns.ts';
import { organizationKeys } from './0029-organization-keys.ts';
import { spendReservations } from './0030-spend-reservations.ts';
import { accessChanges } from './0031-access-changes.ts';
import { runCoverage } from './0032-run-coverage.ts';
import { runWarnings } from './0033-run-warnings.ts';
import { studyVisits } from './0034-study-visits.ts';

export interface Migration {
  name: string;
  sql: string;
  /** For changes that SQL cannot express. Runs after `sql`, in the same transaction. */
  fill?: (client: pg.ClientBase) => Promise<void>;
  /** Runs last, for statements that need the filled values. */
  finish?: string;
  /**
   * Locks that are taken before anything else. Other statements may take some of them in a different order, so they
   * time out soon and are retried.
   */
  locks?: string;
  /**
   * The first version, such as 0.3.0, that works without what the migration removes. The migration is refused while an
   * older version runs. Any other migration only adds, so that the previous version works beside it and can still be
   * started.
   */
  contracts?: string;
}

/**
 * In the order in which they run. Never edit a migration that was released: its checksum is recorded. Expand first,
 * then contract: one version stops using something, a later one removes it.
 */
export const migrations: readonly Migration[] = [
  foundation,
  liveServers,
  clientsAndEnvironments,
  leases,
  names,
  idempotencyClaims,
  live,
  serverChanges,
  evals,
  evalsInCi,
  suiteFiles,
  contractBaselines,
  judging,
  people,
  linksAndAuditDetails,
  chatSessions,
  browserSessions,
  swarms,
  studies,
  tunnels,
  webhooks,
  conformance,
  readiness,
  registry,
  versions,
  growth,
  fairSchedules,
  organizationColumns,
  organizationKeys,
  spendReservations,
  accessChanges,
  runCoverage,
  runWarnings,
  studyVisits,
];
