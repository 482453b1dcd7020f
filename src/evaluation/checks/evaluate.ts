import { type Check, EvalCheck } from '../../contract/eval-checks.ts';
import { isObject } from '../../platform/json/is-object.ts';
import { evidenceOfTurn, type TrialEvidence } from '../evidence.ts';
import { cutReason, quote, shownValue, withoutSecrets } from '../text/show.ts';
import { kindOf } from './index.ts';
import { type AuthoringProblem, type CheckFinding, failed } from './shared/kind.ts';

/** The turn that a check is limited to. */
export interface TurnScope {
  kind: 'turn';
  promptIndex: number;
}

/** The result of a check, as stored and returned by the API. */
export interface CheckRow {
  /** The check with secrets redacted; shortened if it is malformed. */
  predicate: unknown;
  passed: boolean;
  reason: string;
  /** The required evidence is missing: neither passed nor failed. */
  status?: 'error';
  scope?: TurnScope;
}

/** A check gates unless its role is `advisory`. */
export function isGating(check: unknown): boolean {
  return !isObject(check) || check['role'] !== 'advisory';
}

/**
 * Evaluates a check on a trial, or on one turn of it. Never throws: a malformed check fails. A kind that is not turn
 * scopable evaluates the whole trial.
 */
export function evaluateCheck(check: unknown, evidence: TrialEvidence, scope?: TurnScope): CheckRow {
  const kind = isObject(check) ? kindOf(check['type']) : undefined;
  if (!kind || !isObject(check)) return rowOf(shownValue(check, 0), failed(unknownType(check)), undefined);
  const parsed = parsedCheck(check);
  if ('problem' in parsed)
    return rowOf(shownValue(check, 0), failed(`malformed predicate: ${parsed.problem}`), undefined);
  const narrowed = kind.turnScopable ? scope : undefined;
  const judged = narrowed ? evidenceOfTurn(evidence, narrowed.promptIndex) : evidence;
  return rowOf(storedCheck(parsed.check), kind.evaluate(parsed.check, judged), narrowed);
}

/** A problem of a check that its schema cannot detect. */
export function authoringProblem(check: Check): AuthoringProblem | undefined {
  return kindOf(check.type)?.problem?.(check);
}

type ParsedCheck = { check: Check } | { problem: string };

const parsedChecks = new WeakMap<object, ParsedCheck>();

/** Caches by identity: the trials of a case share their checks. */
function parsedCheck(check: Record<string, unknown>): ParsedCheck {
  const known = parsedChecks.get(check) ?? parseCheck(check);
  parsedChecks.set(check, known);
  return known;
}

/**
 * Validates the parameters only: role and severity do not affect the evaluation, and old rows may have other values.
 */
function parseCheck({ role, severity, ...parameters }: Record<string, unknown>): ParsedCheck {
  const parsed = EvalCheck.safeParse({ ...parameters, role: 'advisory' });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ') };
  }
  const { role: _ours, ...understood } = parsed.data;
  const kept = { ...(role !== undefined && { role }), ...(severity !== undefined && { severity }) };
  return { check: { ...understood, ...kept } as Check };
}

function unknownType(check: unknown): string {
  const type = isObject(check) ? check['type'] : undefined;
  return typeof type === 'string' ? `unknown type ${quote(type)}` : 'malformed predicate: it has no type';
}

function rowOf(
  predicate: unknown,
  { outcome, reason }: CheckFinding,
  scope: TurnScope | undefined,
): CheckRow {
  return {
    predicate,
    passed: outcome === 'passed',
    reason: cutReason(reason),
    ...(outcome === 'error' && { status: 'error' as const }),
    ...(scope && { scope }),
  };
}

/** The check as written, with secrets in expected arguments redacted. */
function storedCheck(check: Check): Check {
  if (check.type !== 'toolCalledWith') return check;
  const args = withoutSecrets(check.args.args) as typeof check.args.args;
  return { ...check, args: { ...check.args, args } };
}
