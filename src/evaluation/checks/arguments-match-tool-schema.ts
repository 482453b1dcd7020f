import type { DeclaredTool, ToolCall } from '../evidence.ts';
import { type Effort, newEffort } from '../json/effort.ts';
import { validateJson } from '../json/schema.ts';
import { quote } from '../text/show.ts';
import { type CheckKind, type Finding, failed, missing, passed } from './shared/kind.ts';
import { inScope } from './shared/scope.ts';
import { declarationsOf } from './shared/tools.ts';

/** Every call fits the input schema that its tool declares. One that does not decides; one that cannot be told comes next. */
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
    return (
      findings.find(({ outcome }) => outcome === 'failed') ??
      findings.find(({ outcome }) => outcome === 'error') ??
      passed('The arguments of every call fit the input schema of its tool')
    );
  },
};

function judge(call: ToolCall, tools: readonly DeclaredTool[], effort: Effort): Finding {
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
