import { byCodeUnit } from '../../platform/canonical.ts';
import type { ToolCall } from '../evidence.ts';
import { canonicalText } from '../json/value.ts';
import { type ArgumentMode, argumentTest } from './arguments.ts';
import { type Assignment, largestAssignment, largestOrderedAssignment } from './assignment.ts';
import type { ResolvedMatchOptions } from './options.ts';

/** A call that a turn should make. */
export interface ExpectedCall {
  toolName: string;
  arguments: Readonly<Record<string, unknown>>;
  /** Overrides the argument mode of the match options. */
  argumentMatching?: ArgumentMode | undefined;
}

/** A call as API responses and traces show it. */
export interface ShownCall {
  toolName: string;
  arguments: Readonly<Record<string, unknown>>;
}

interface ArgumentMismatch {
  toolName: string;
  expectedArgs: Readonly<Record<string, unknown>>;
  actualArgs: Readonly<Record<string, unknown>>;
  toolCallId: string;
}

/** The calls of one turn compared with the expected ones. */
export interface TurnMatch {
  passed: boolean;
  missing: ExpectedCall[];
  unexpected: ToolCall[];
  /** An expected call, paired with an actual call of the same tool with other arguments. */
  argumentMismatches: ArgumentMismatch[];
}

export interface TurnToMatch {
  kind: 'prompt' | 'toolCall';
  expected: readonly ExpectedCall[];
  calls: readonly ToolCall[];
}

/** Reading a skill prepares the model for a task, so these calls count only if they are expected. */
const skillTools: ReadonlySet<string> = new Set([
  'listSkills',
  'loadSkill',
  'listSkillFiles',
  'readSkillFile',
]);

function isSkillTool(toolName: string): boolean {
  return skillTools.has(toolName);
}

/** Pinned calls are made by the case, so they have no expectation. A negative case expects no calls. */
export function matchTurn(
  { kind, expected, calls }: TurnToMatch,
  options: ResolvedMatchOptions,
  isNegative: boolean,
): TurnMatch {
  if (kind === 'toolCall') return { passed: true, missing: [], unexpected: [], argumentMismatches: [] };
  if (!isNegative) return matchCalls(expected, calls, options);
  const unexpected = calls.filter(({ toolName }) => !isSkillTool(toolName));
  return { passed: unexpected.length === 0, missing: [], unexpected, argumentMismatches: [] };
}

/**
 * Pairs as many expected and actual calls one to one as possible, then explains the rest: two calls of the same tool
 * with different arguments are a mismatch, others are missing or unexpected. A call that never reached a server meets
 * no expectation.
 */
export function matchCalls(
  expected: readonly ExpectedCall[],
  actual: readonly ToolCall[],
  options: ResolvedMatchOptions,
): TurnMatch {
  const expectedNames = new Set(expected.map(({ toolName }) => toolName));
  const counted = actual.filter(({ toolName }) => !isSkillTool(toolName) || expectedNames.has(toolName));
  const calls = options.order === 'any' ? inCanonicalOrder(counted) : counted;
  const test = argumentTest();
  const fits = (left: number, right: number): boolean => {
    const wanted = expected[left];
    const call = calls[right];
    if (!wanted || !call || call.invalid !== undefined || call.toolName !== wanted.toolName) return false;
    return test(wanted.arguments, call.arguments, wanted.argumentMatching ?? options.arguments);
  };
  const assignment = assign(options.order, expected.length, calls.length, fits);
  const used = new Set(assignment);
  const left = expected.map((_, index) => index).filter((index) => assignment[index] === undefined);
  const over = calls.map((_, index) => index).filter((index) => !used.has(index));

  const match: TurnMatch = { passed: false, missing: [], unexpected: [], argumentMismatches: [] };
  const paired = new Set<number>();
  for (const index of left) {
    const wanted = expected[index] as ExpectedCall;
    // A call with the right arguments is only out of order: it counts as missing and unexpected, not as a mismatch.
    const instead = over.find(
      (at) => !paired.has(at) && calls[at]?.toolName === wanted.toolName && !fits(index, at),
    );
    if (instead === undefined) match.missing.push(wanted);
    else {
      paired.add(instead);
      match.argumentMismatches.push(mismatch(wanted, calls[instead] as ToolCall));
    }
  }
  const extras = new Set(over.filter((at) => !paired.has(at)).map((at) => calls[at]));
  match.unexpected = actual.filter((call) => extras.has(call));
  match.passed =
    match.missing.length === 0 &&
    match.argumentMismatches.length === 0 &&
    (options.extra === null || match.unexpected.length <= options.extra);
  return match;
}

function assign(
  order: ResolvedMatchOptions['order'],
  lefts: number,
  rights: number,
  fits: (left: number, right: number) => boolean,
): Assignment {
  if (order === 'any') return largestAssignment(lefts, rights, fits);
  if (order === 'in-order') return largestOrderedAssignment(lefts, rights, fits);
  return Array.from({ length: lefts }, (_, at) => (fits(at, at) ? at : undefined));
}

/**
 * Sorts calls by content, so that the choice of the unexpected ones does not depend on the order in which they were
 * made.
 */
function inCanonicalOrder(calls: readonly ToolCall[]): ToolCall[] {
  return calls
    .map((call) => ({ call, key: canonicalKey(call) }))
    .sort((a, b) => byCodeUnit(a.key, b.key))
    .map(({ call }) => call);
}

function canonicalKey({ toolName, invalid, serverId, arguments: args }: ToolCall): string {
  return [toolName, invalid ?? '', canonicalText(args) ?? '', serverId ?? ''].join('\n');
}

function mismatch(wanted: ExpectedCall, call: ToolCall): ArgumentMismatch {
  return {
    toolName: wanted.toolName,
    expectedArgs: wanted.arguments,
    actualArgs: call.arguments,
    toolCallId: call.toolCallId,
  };
}
