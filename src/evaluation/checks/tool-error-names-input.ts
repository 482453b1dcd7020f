import type { ToolCall, ToolError, TrialEvidence } from '../evidence.ts';
import { isObject } from '../json/value.ts';
import { quote } from '../text/show.ts';
import { type CheckKind, type Finding, failed, missing, passed } from './shared/kind.ts';
import { inScope } from './shared/scope.ts';
import { declarationsOf } from './shared/tools.ts';

const mostMessage = 10_000;
const mostValues = 1_000;

/**
 * Each error names a declared input or repeats a value that was sent, so that a model can tell what to change. Errors of
 * calls that never reached a server are not the server's.
 */
export const toolErrorNamesInput: CheckKind<'toolErrorNamesInput'> = {
  type: 'toolErrorNamesInput',
  stage: 'response',
  turnScopable: false,
  evaluate({ toolName }, evidence) {
    const unsent = new Set(
      evidence.toolCalls.flatMap(({ toolCallId, invalid }) => (invalid === undefined ? [] : [toolCallId])),
    );
    const errors = inScope(evidence.toolErrors, toolName).filter(({ toolCallId }) => !unsent.has(toolCallId));
    if (errors.length === 0) return passed('There was no error');
    const findings = errors.map((error) => judge(error, evidence));
    return (
      findings.find(({ outcome }) => outcome === 'failed') ??
      findings.find(({ outcome }) => outcome === 'error') ??
      passed('Every error names what it is about')
    );
  },
};

function judge(error: ToolError, { inventory, toolCalls }: TrialEvidence): Finding {
  const name = quote(error.toolName);
  const message = error.message.slice(0, mostMessage).toLowerCase();
  if (message.trim() === '') return failed(`An error of ${name} says nothing`);
  if (inventory.state !== 'complete') return missing('Not all tools that were offered were recorded');
  const [call, anotherCall] = toolCalls.filter(({ toolCallId }) => toolCallId === error.toolCallId);
  if (!call || anotherCall) return missing(`Which call of ${name} failed cannot be told`);
  const [tool, anotherTool] = declarationsOf(call, inventory.items);
  if (!tool || anotherTool) return missing(`Which tool ${name} is cannot be told`);
  return inputKeys(tool.inputSchema).some((key) => namesKey(message, key)) || namesValue(message, call)
    ? passed(`An error of ${name} names its input`)
    : failed(`An error of ${name} names none of its inputs: ${quote(error.message)}`);
}

function inputKeys(schema: unknown): string[] {
  return isObject(schema) && isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
}

/** `id` is part of `invalid`, so a short key has to stand alone. */
function namesKey(message: string, key: string): boolean {
  const wanted = key.toLowerCase();
  if (wanted === '') return false;
  return wanted.length < 3 ? message.split(/[^\p{L}\p{N}_]+/u).includes(wanted) : message.includes(wanted);
}

function namesValue(message: string, call: ToolCall): boolean {
  const values: unknown[] = [call.arguments];
  for (let at = 0; at < values.length && at < mostValues; at++) {
    const value = values[at];
    if (typeof value === 'object' && value !== null)
      values.push(...Object.values(value).slice(0, mostValues));
    else if (typeof value === 'number' && message.includes(String(value))) return true;
    else if (typeof value === 'string' && value.length >= 3 && message.includes(value.toLowerCase()))
      return true;
  }
  return false;
}
