import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { CaseRow } from '../../platform/database/queries/eval-cases.ts';
import type { CaseDefinition } from '../eval-cases/definition.ts';

export type ImportEligibility = NonNullable<OutputOf<Operations['getEvalRun']>['importEligibility']>;

/** Why somebody lets a case run that is only an approximation of what was imported; by the id of the case. */
export type ImportApprovals = ReadonlyMap<string, string>;

/** Of a run without cases that were imported from another tool. */
const nothingImported: ImportEligibility = {
  status: 'legacy',
  gateable: true,
  importedCaseCount: 0,
  claimedExactCaseIds: [],
  approvedApproximationCaseIds: [],
  approvedApproximationReceipts: [],
  issues: [],
};

/** Whether what was imported runs as it was meant where it comes from; null when nothing was. */
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
