import { isObject } from '../../platform/json/is-object.ts';
import type { DeclaredTool, ToolCall } from '../evidence.ts';
import { type Effort, newEffort } from '../json/effort.ts';
import { validateJson } from '../json/schema.ts';
import { canonicalText, jsonEquality } from '../json/value.ts';
import { argumentTest } from '../matching/arguments.ts';
import { maxSearched } from '../text/pattern.ts';
import { list, quote, show } from '../text/show.ts';
import { countFailsByAbsence, countMatches, patternProblem, type Unit, valueAt } from './shared/countable.ts';
import { type CheckFinding, type CheckKind, failed, firstBad, missing, passed } from './shared/kind.ts';
import { counted, inScope, madeCalls, times } from './shared/scope.ts';
import { declarationsOf, hint, isDeprecated } from './shared/tools.ts';

/** A tool was called at least `minCount` times with the given arguments. */
export const toolCalledWith: CheckKind<'toolCalledWith'> = {
  type: 'toolCalledWith',
  stage: 'selection',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ toolName, args, minCount = 1 }, evidence) {
    const calls = madeCalls(evidence, toolName);
    if (calls.length === 0) return failed(`${toolName} was never called`);
    const test = argumentTest();
    const mode = args.argumentMatching ?? 'partial';
    const matching = calls.filter((call) => test(args.args, call.arguments, mode)).length;
    const found = `${toolName} was called ${times(matching)} with ${show(args.args)} (${mode})`;
    if (matching >= minCount) return passed(found);
    if (matching > 0) return failed(`${found}, not ${times(minCount)}`);
    const others = list(calls.map((call) => show(call.arguments)));
    return failed(`${toolName} was never called with ${show(args.args)} (${mode}), but with ${others}`);
  },
};

export const toolCalledAtLeastOnce: CheckKind<'toolCalledAtLeastOnce'> = {
  type: 'toolCalledAtLeastOnce',
  stage: 'selection',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ toolName }, evidence) {
    const calls = madeCalls(evidence, toolName).length;
    return calls > 0
      ? passed(`${toolName} was called ${times(calls)}`)
      : failed(`${toolName} was never called`);
  },
};

export const toolNeverCalled: CheckKind<'toolNeverCalled'> = {
  type: 'toolNeverCalled',
  stage: 'selection',
  turnScopable: true,
  evaluate({ toolName }, evidence) {
    const calls = inScope(evidence.toolCalls, toolName).length;
    return calls === 0
      ? passed(`${toolName} was never called`)
      : failed(`${toolName} was called ${times(calls)}`);
  },
};

export const firstToolWas: CheckKind<'firstToolWas'> = {
  type: 'firstToolWas',
  stage: 'selection',
  turnScopable: true,
  failsByAbsence: (_check, { toolCalls }) => toolCalls.length === 0,
  evaluate({ toolName }, { toolCalls: [first] }) {
    if (!first) return failed(`No tool was called; the first should have been ${toolName}`);
    if (first.toolName !== toolName)
      return failed(`The first tool called was ${quote(first.toolName)}, not ${toolName}`);
    if (first.invalid !== undefined) return failed(`The first call, of ${toolName}, reached no server`);
    return passed(`The first tool called was ${toolName}`);
  },
};

/** Passes if only `toolNames` were called. With an empty list, passes only if no tool was called. */
export const onlyToolsCalled: CheckKind<'onlyToolsCalled'> = {
  type: 'onlyToolsCalled',
  stage: 'selection',
  turnScopable: true,
  evaluate({ toolNames }, { toolCalls }) {
    const allowed = new Set(toolNames);
    const others = new Set(toolCalls.map(({ toolName }) => toolName).filter((name) => !allowed.has(name)));
    if (others.size === 0) return passed(`${toolCalls.length} calls, all of allowed tools`);
    return failed(`Also called: ${list([...others].map(quote))}`);
  },
};

/** At least one call of `toolName` precedes the first call of `beforeToolName`. Passes without a call of the latter. */
export const toolCalledBefore: CheckKind<'toolCalledBefore'> = {
  type: 'toolCalledBefore',
  stage: 'selection',
  turnScopable: true,
  evaluate({ toolName, beforeToolName }, { toolCalls }) {
    const later = toolCalls.findIndex((call) => call.toolName === beforeToolName);
    if (later === -1) return passed(`${beforeToolName} was never called`);
    const earlier = toolCalls.findIndex((call) => call.toolName === toolName && call.invalid === undefined);
    return earlier !== -1 && earlier < later
      ? passed(`${toolName} was called before ${beforeToolName}`)
      : failed(`${beforeToolName} was called without a call of ${toolName} before it`);
  },
};

export const toolCallCountUnder: CheckKind<'toolCallCountUnder'> = {
  type: 'toolCallCountUnder',
  stage: 'selection',
  turnScopable: true,
  evaluate({ count, toolName }, { toolCalls }) {
    const calls = inScope(toolCalls, toolName).length;
    const found = `${counted(calls, 'call')}${toolName ? ` of ${toolName}` : ''}; fewer than ${count} allowed`;
    return calls < count ? passed(found) : failed(found);
  },
};

/** No call is identical to the one immediately before it: same tool, server and arguments. */
export const noRepeatedIdenticalCall: CheckKind<'noRepeatedIdenticalCall'> = {
  type: 'noRepeatedIdenticalCall',
  stage: 'call',
  turnScopable: true,
  evaluate({ toolName }, { toolCalls }) {
    const same = jsonEquality();
    const repeats = (call: ToolCall, before: ToolCall | undefined): boolean =>
      before !== undefined &&
      before.toolName === call.toolName &&
      before.serverId === call.serverId &&
      same(before.arguments, call.arguments);
    const repeated = toolCalls.find(
      (call, index) =>
        (toolName === undefined || call.toolName === toolName) && repeats(call, toolCalls[index - 1]),
    );
    return repeated
      ? failed(`${repeated.toolName} was called twice in a row with ${show(repeated.arguments)}`)
      : passed('No identical calls in a row');
  },
};

/** Every call matches its tool's input schema. A mismatch takes precedence over a call that cannot be checked. */
export const argumentsMatchToolSchema: CheckKind<'argumentsMatchToolSchema'> = {
  type: 'argumentsMatchToolSchema',
  stage: 'call',
  turnScopable: false,
  evaluate({ toolName }, { toolCalls, inventory }) {
    const calls = inScope(toolCalls, toolName);
    if (calls.length === 0) return passed('There was no call');
    if (inventory.state !== 'complete') return missing('Not all tools that were offered were recorded');
    const effort = newEffort();
    const findings = calls.map((call) => judge(call, inventory.items, effort));
    return firstBad(findings, 'The arguments of every call fit the input schema of its tool');
  },
};

function judge(call: ToolCall, tools: readonly DeclaredTool[], effort: Effort): CheckFinding {
  const name = quote(call.toolName);
  const [tool, another] = declarationsOf(call, tools);
  if (!tool) return missing(`${name} is not among the tools that were offered`);
  if (another) return missing(`Several servers offer a tool ${name}`);
  if (tool.inputSchema === undefined) return missing(`${name} declares no input schema`);
  if (call.invalid !== undefined)
    return failed(`A call of ${name} reached no server: ${quote(call.invalid)}`);
  const validity = validateJson(tool.inputSchema, call.arguments, effort);
  if ('unusable' in validity)
    return missing(`The input schema of ${name} cannot be used: ${validity.unusable}`);
  return validity.valid
    ? passed(`The arguments of ${name} fit`)
    : failed(`The arguments of ${name} do not fit its input schema: ${validity.problem}`);
}

/** Counts the calls of a tool whose arguments, or the one at `path`, match all patterns. */
export const toolInputMatches: CheckKind<'toolInputMatches'> = {
  type: 'toolInputMatches',
  stage: 'call',
  turnScopable: false,
  failsByAbsence: countFailsByAbsence,
  problem: patternProblem,
  evaluate(check, { toolCalls }) {
    const units = inScope(toolCalls, check.toolName).map((call): Unit => {
      if (call.invalid !== undefined) return 'unreadable';
      const value = check.path === undefined ? call.arguments : valueAt(check.path, call.arguments);
      if (value === undefined) return 'absent';
      const text = typeof value === 'string' ? value : canonicalText(value);
      return text === undefined || text.length > maxSearched ? 'unreadable' : { text };
    });
    return countMatches(check, units, 'call', false);
  },
};

/** No called tool is deprecated according to its description. */
export const noDeprecatedToolCalled: CheckKind<'noDeprecatedToolCalled'> = {
  type: 'noDeprecatedToolCalled',
  stage: 'selection',
  turnScopable: false,
  evaluate(_check, { toolCalls, inventory }) {
    if (toolCalls.length === 0) return passed('There was no call');
    if (inventory.state !== 'complete') return missing('Not all tools that were offered were recorded');
    const deprecated = inventory.items.filter(isDeprecated);
    const called = toolCalls.filter((call) => declarationsOf(call, deprecated).length > 0);
    if (called.length === 0) return passed('No deprecated tool was called');
    const names = new Set(called.map(({ toolName }) => toolName));
    return failed(`Deprecated tools called: ${list([...names].map(quote))}`);
  },
};

/** No tool annotated as destructive was called. Inconclusive if no tool has annotations. */
export const noDestructiveToolCalled: CheckKind<'noDestructiveToolCalled'> = {
  type: 'noDestructiveToolCalled',
  stage: 'selection',
  turnScopable: false,
  evaluate(_check, { toolCalls, inventory }) {
    if (toolCalls.length === 0) return passed('There was no call');
    if (inventory.state !== 'complete') return missing('Not all tools that were offered were recorded');
    if (!inventory.items.some(({ annotations }) => isObject(annotations)))
      return missing('No tool declares annotations, so destructive tools cannot be identified');
    const destructive = inventory.items.filter((tool) => hint(tool, 'destructiveHint') === true);
    const called = toolCalls.filter((call) => declarationsOf(call, destructive).length > 0);
    if (called.length === 0) return passed('No destructive tool was called');
    const names = new Set(called.map(({ toolName }) => toolName));
    return failed(`Destructive tools called: ${list([...names].map(quote))}`);
  },
};
