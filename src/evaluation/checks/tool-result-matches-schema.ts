import type { ToolResult } from '../evidence.ts';
import { type Effort, newEffort } from '../json/effort.ts';
import { schemaProblem, validateJson } from '../json/schema.ts';
import { quote } from '../text/show.ts';
import { type CheckKind, type Finding, failed, missing, passed } from './shared/kind.ts';
import { allResults, payloadOf } from './shared/results.ts';

/** Every result fits a JSON Schema. */
export const toolResultMatchesSchema: CheckKind<'toolResultMatchesSchema'> = {
  type: 'toolResultMatchesSchema',
  stage: 'response',
  turnScopable: false,
  failsByAbsence: (_check, { toolResults }) => toolResults.items.length === 0,
  problem({ schema }) {
    const message = schemaProblem(schema);
    return message === undefined ? undefined : { path: ['schema'], message };
  },
  evaluate({ schema, toolName }, evidence) {
    const known = allResults(evidence, toolName);
    if ('unknown' in known) return known.unknown;
    if (known.results.length === 0) return failed('No tool returned anything');
    const effort = newEffort();
    const findings = known.results.map((result) => judge(result, schema, effort));
    return (
      findings.find(({ outcome }) => outcome === 'failed') ??
      findings.find(({ outcome }) => outcome === 'error') ??
      passed('Every result fits the schema')
    );
  },
};

function judge(result: ToolResult, schema: unknown, effort: Effort): Finding {
  const name = quote(result.toolName);
  if (!result.whole) return missing(`A result of ${name} was too large to be kept whole`);
  const payload = payloadOf(result);
  if (payload === undefined) return failed(`A result of ${name} is no JSON`);
  const validity = validateJson(schema, payload, effort);
  if ('unusable' in validity) return missing(`The schema cannot be used: ${validity.unusable}`);
  return validity.valid
    ? passed(`A result of ${name} fits`)
    : failed(`A result of ${name} does not fit the schema: ${validity.problem}`);
}
