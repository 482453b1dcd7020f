import type { TurnOutcome } from '../models/turn.ts';
import type { Recorder } from './recorder.ts';
import type { Spans } from './spans.ts';
import type { CallAnswer, ToolBox } from './tools.ts';

interface Into {
  box: Pick<ToolBox, 'nameOf'>;
  spans: Spans;
  recorder?: Recorder | undefined;
  modelId: string | undefined;
}

/** Records a turn: the steps of the model and the results of its calls. Returns the IDs of the calls. */
export function recordTurn(
  { box, spans, recorder, modelId }: Into,
  outcome: TurnOutcome<CallAnswer>,
  { promptIndex, stepId }: { promptIndex: number; stepId: string },
): string[] {
  const ids: string[] = [];
  for (const step of outcome.steps) {
    recorder?.usages.push(step.usage);
    spans.modelStep(step, promptIndex, stepId, modelId);
    for (const { id, name, input, invalid, answer, startedAt, endedAt } of step.calls) {
      ids.push(id);
      const made = {
        toolCallId: id,
        ...box.nameOf(name),
        arguments: input ?? {},
        promptIndex,
        ...(invalid && { invalid: invalid.message }),
        ...(invalid?.reason === 'unknown-tool' && { unknownTool: true as const }),
      };
      if (answer && startedAt !== undefined && endedAt !== undefined) {
        const [from, to] = [startedAt - spans.started, endedAt - spans.started];
        recorder?.call(made, answer.outcome, from, to);
        spans.toolCall(made, answer.outcome, from, to, stepId, step.index);
      } else recorder?.notMade(made, invalid?.message);
    }
  }
  return ids;
}
