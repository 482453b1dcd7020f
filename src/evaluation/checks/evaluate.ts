import { type Check, EvalCheck } from '../../contract/eval-checks.ts';
import { evidenceOfTurn, type TrialEvidence } from '../evidence.ts';
import { isObject } from '../json/value.ts';
import { cutReason, quote, shownValue, withoutSecrets } from '../text/show.ts';
import { kindOf } from './index.ts';
import { type AuthoringProblem, type Finding, failed } from './shared/kind.ts';

/** What a check is asked about, besides the whole trial. */
export interface TurnScope {
  kind: 'turn';
  promptIndex: number;
}

/** What came of a check, as it is stored and answered. */
export interface CheckRow {
  /** The check, without what is secret in it; in small where it could not be understood. */
  predicate: unknown;
  passed: boolean;
  reason: string;
  /** The evidence is missing: neither passed nor failed. */
  status?: 'error';
  scope?: TurnScope;
}

/** Whether a check decides. Any other word than `advisory`, and none, means that it does. */
export function isGating(check: unknown): boolean {
  return !isObject(check) || check['role'] !== 'advisory';
}

/**
 * Judges a trial, or one turn of it, by a check. Never throws: a check that cannot be understood fails. A kind that
 * cannot be asked about one turn looks at the whole.
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

/** What is wrong with a check that its schema cannot see, to be told to its author. */
export function authoringProblem(check: Check): AuthoringProblem | undefined {
  return kindOf(check.type)?.problem?.(check);
}

type ParsedCheck = { check: Check } | { problem: string };

const parsedChecks = new WeakMap<object, ParsedCheck>();

/** The trials of a case share their checks. */
function parsedCheck(check: Record<string, unknown>): ParsedCheck {
  const known = parsedChecks.get(check) ?? parseCheck(check);
  parsedChecks.set(check, known);
  return known;
}

/** Role and severity say nothing about how a check is evaluated, and older rows may spell them in ways of their own. */
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

function rowOf(predicate: unknown, { outcome, reason }: Finding, scope: TurnScope | undefined): CheckRow {
  return {
    predicate,
    passed: outcome === 'passed',
    reason: cutReason(reason),
    ...(outcome === 'error' && { status: 'error' as const }),
    ...(scope && { scope }),
  };
}

/** A check as it was written. Of what it says only expected arguments can hold secrets. */
function storedCheck(check: Check): Check {
  if (check.type !== 'toolCalledWith') return check;
  const args = withoutSecrets(check.args.args) as typeof check.args.args;
  return { ...check, args: { ...check.args, args } };
}
