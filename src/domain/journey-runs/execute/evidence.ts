import type { ToolResult, TrialEvidence } from '../../../evaluation/index.ts';
import { storableJson } from '../../../platform/json/storable.ts';

/** The evidence of a turn that grading needs. */
export type TurnRecording = Pick<
  TrialEvidence,
  'turns' | 'toolCalls' | 'toolErrors' | 'usage' | 'toolResults' | 'timings'
>;

/** Characters of JSON kept in full per turn. */
const maxOfTurn = 1024 * 1024;
/** Maximum characters per result and per call's arguments when a turn must be truncated. */
const maxOfPart = 16 * 1024;
/** Lower limit, used once the session has no room left. */
const leastOfPart = 512;

/** Serializes the evidence of a turn. If it exceeds `maxOfTurn` or `room`, each result is truncated and marked so. */
export function keptEvidence(evidence: TrialEvidence, room: number): string {
  const { turns, toolCalls, toolErrors, usage, toolResults, timings } = evidence;
  const all: TurnRecording = { turns, toolCalls, toolErrors, usage, toolResults, timings };
  const whole = storableJson(all);
  if (whole.length <= Math.min(maxOfTurn, room)) return whole;
  const partLimit = room > 0 ? maxOfPart : leastOfPart;
  return storableJson({
    ...all,
    toolCalls: toolCalls.slice(0, 100).map((call) => ({
      ...call,
      arguments: JSON.stringify(call.arguments).length > partLimit ? {} : call.arguments,
    })),
    toolErrors: toolErrors
      .slice(0, 100)
      .map((error) => ({ ...error, message: error.message.slice(0, Math.min(partLimit, 2_000)) })),
    toolResults: {
      state: 'partial',
      items: toolResults.items.slice(0, 30).map((result) => shortened(result, partLimit)),
    },
    timings: { ...timings, items: timings.items.slice(0, 100) },
  } satisfies TurnRecording);
}

function shortened(result: ToolResult, maxLength: number): ToolResult {
  const { toolCallId, toolName, promptIndex, text, bytes } = result;
  return { toolCallId, toolName, promptIndex, text: text.slice(0, maxLength), bytes, whole: false };
}

const absent = { state: 'absent', items: [] } as const;

/** Merges the evidence of a session's turns. */
export function joined(
  recordings: readonly TurnRecording[],
  declared: TrialEvidence['inventory'] | undefined,
): TrialEvidence {
  const usages = recordings.map(({ usage }) => usage);
  const known = usages.length > 0 && usages.every((usage) => usage?.totalTokens !== undefined);
  const sum = (of: 'inputTokens' | 'outputTokens' | 'totalTokens'): number =>
    usages.reduce((total, usage) => total + (usage?.[of] ?? 0), 0);
  const partial = recordings.some(({ toolResults }) => toolResults.state !== 'complete');
  const state = partial ? 'partial' : 'complete';
  const turns = recordings.flatMap((recording) => recording.turns);
  return {
    turns,
    toolCalls: onceEach(recordings.flatMap(({ toolCalls }) => toolCalls)),
    toolErrors: recordings.flatMap(({ toolErrors }) => toolErrors),
    finalText: turns.at(-1)?.finalText ?? '',
    usage: known
      ? {
          inputTokens: sum('inputTokens'),
          outputTokens: sum('outputTokens'),
          totalTokens: sum('totalTokens'),
        }
      : undefined,
    renders: [],
    browserAvailable: false,
    turnCount: turns.length,
    toolResults: { state, items: recordings.flatMap(({ toolResults }) => toolResults.items) },
    timings: { state, items: recordings.flatMap(({ timings }) => timings.items) },
    inventory: declared ?? absent,
    declarations: declared ?? absent,
  };
}

/** Deduplicates calls with the same arguments: personas repeat themselves, and agents repeat calls. */
function onceEach(calls: TrialEvidence['toolCalls']): TrialEvidence['toolCalls'] {
  const seen = new Set<string>();
  return calls.filter(({ toolName, serverId, arguments: input }) => {
    const key = JSON.stringify([serverId, toolName, input]);
    const first = !seen.has(key);
    seen.add(key);
    return first;
  });
}
