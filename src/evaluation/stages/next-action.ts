import type { FailureCategory } from '../stage.ts';

/** Advice for an unmet check of results, such as latency, where the tool reported no error. */
const unmetCheck =
  'Compare the result and its latency with the failed check, then change the server or the check.';
const unwantedCall =
  'The case expects no tool call. State in the descriptions of the called tools when not to use them, or change the case.';

export function actionFor(
  category: FailureCategory | undefined,
  reason: string | undefined,
  { expectsNoCall = false } = {},
): string {
  if (category === 'serverData' && reason === 'predicateFailed') return unmetCheck;
  if (category === 'selection' && reason === 'unexpectedToolCall' && expectsNoCall) return unwantedCall;
  return nextAction(category);
}

const actions: Readonly<Record<FailureCategory, string>> = {
  setup: 'Check that the server and the model are reachable with these settings, then run the case again.',
  metadata: 'Improve the tool declarations of the server: names, descriptions, annotations and schemas.',
  selection:
    'Compare the called tools with the expected and the offered ones, and make their descriptions more distinct.',
  arguments:
    'Compare the arguments of the call with the input schema of the tool, and describe its inputs better.',
  serverData: 'Inspect the tool result and fix the server, or make its error message say what to change.',
  userValue:
    'Compare the final answer with the checks it did not meet, then change the server or the checks.',
  evaluator:
    'Fix the check that could not be evaluated, or record the evidence it needs. The trial was not judged.',
};

export function nextAction(category: FailureCategory | undefined): string {
  return category ? actions[category] : 'Read the trace of the trial to see where it failed.';
}

/** Advice for a trial that was not carried out. */
export const runAgain = 'This trial has no result. Run the case again.';
