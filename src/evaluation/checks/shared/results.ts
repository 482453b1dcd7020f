import type { ToolResult, TrialEvidence } from '../../evidence.ts';
import { jsonText } from '../../json/value.ts';
import { quote } from '../../text/show.ts';
import { type CheckFinding, missing } from './kind.ts';
import { inScope, madeCalls } from './scope.ts';

/** All results in scope, or a finding that says why they are incomplete. A protocol error has no result. */
export function allResults(
  evidence: TrialEvidence,
  toolName: string | undefined,
): { results: readonly ToolResult[] } | { unknown: CheckFinding } {
  if (evidence.toolResults.state !== 'complete')
    return { unknown: missing('Not all results of tools were recorded') };
  const results = inScope(evidence.toolResults.items, toolName);
  const answered = new Set(results.map(({ toolCallId }) => toolCallId));
  for (const { kind, toolCallId } of evidence.toolErrors) if (kind === 'protocol') answered.add(toolCallId);
  const unanswered = madeCalls(evidence, toolName).find(({ toolCallId }) => !answered.has(toolCallId));
  if (unanswered) return { unknown: missing(`No result of a call of ${unanswered.toolName} was recorded`) };
  return { results };
}

/** The JSON of a result: its structured content, or its text if that is JSON. */
export function payloadOf(result: ToolResult): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  if (result.json !== undefined) return result.json;
  try {
    return JSON.parse(result.text);
  } catch {
    return undefined;
  }
}

export function searchableText({ text, structuredContent, json }: ToolResult): string {
  return [text, jsonText(structuredContent), jsonText(json)].filter((part) => part !== undefined).join('\n');
}

const maxShown = 2;

/** Quotes the last results for the reason of a failed check. */
export function shownResults(results: readonly ToolResult[]): string {
  const shown = results
    .slice(-maxShown)
    .map((result) => `${quote(result.toolName)} returned ${quote(searchableText(result))}`);
  const others = results.length - shown.length;
  return `${shown.join(', ')}${others > 0 ? `, and there are ${others} more results` : ''}`;
}
