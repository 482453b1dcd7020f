import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { CaseRow } from '../../platform/database/queries/eval-cases.ts';
import type { CaseDefinition } from '../eval-suites/cases/definition.ts';

export type ImportEligibility = NonNullable<OutputOf<Operations['getEvalRun']>['importEligibility']>;

/** Reasons for approving cases that are only approximately imported, by case ID. */
export type ImportApprovals = ReadonlyMap<string, string>;

/** For a run without imported cases. */
const nothingImported: ImportEligibility = {
  status: 'legacy',
  gateable: true,
  importedCaseCount: 0,
  claimedExactCaseIds: [],
  approvedApproximationCaseIds: [],
  approvedApproximationReceipts: [],
  issues: [],
};

/** Whether imported cases run with the meaning they have in their original tool; null if none was imported. */
export function eligibilityOf(
  rows: readonly CaseRow[],
  approvals: ImportApprovals,
  approver: { id: string; now: number },
): ImportEligibility | null {
  const imported = rows.flatMap(({ id, declaredId, definition }) => {
    const claim = (definition as CaseDefinition).import;
    return claim ? [{ id, declaredId, claim }] : [];
  });
  if (imported.length === 0) return null;
  const approximated = imported.filter(({ claim }) => claim.status === 'approximated');
  const issues = approximated
    .filter(({ id }) => !approvals.has(id))
    .map(({ id, declaredId }) => ({
      code: 'APPROXIMATION_NOT_APPROVED',
      testCaseId: id,
      caseKey: declaredId,
    }));
  const approved = approximated.filter(({ id }) => approvals.has(id));
  return {
    status: issues.length === 0 ? 'eligible' : 'incomplete',
    gateable: issues.length === 0,
    importedCaseCount: imported.length,
    claimedExactCaseIds: imported.filter(({ claim }) => claim.status === 'exact').map(({ id }) => id),
    approvedApproximationCaseIds: approved.map(({ id }) => id),
    approvedApproximationReceipts: approved.map(({ id, declaredId, claim }) => ({
      testCaseId: id,
      caseKey: declaredId,
      ...(claim.sourceCaseKey !== undefined && { sourceCaseKey: claim.sourceCaseKey }),
      approvedBy: approver.id,
      approvedAt: approver.now,
      reason: approvals.get(id) ?? '',
    })),
    issues,
  };
}

export function presentEligibility(stored: unknown): ImportEligibility {
  return (stored as ImportEligibility | null) ?? nothingImported;
}
