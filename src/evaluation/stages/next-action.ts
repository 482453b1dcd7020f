import type { FailureCategory } from './stage.ts';

/** A check of results that is not met, like one of their latency, is no error that a tool reported. */
const unmetCheck =
  'Compare what the tool returned, and how long it took, with the check that failed; change the server, or the check.';
const unwantedCall =
  'The case expects no tool call. Say in the descriptions of the called tools when not to use them, or change the case.';

/** What to do about a trial that failed for this reason. */
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
  setup: 'Check that the server and the model can be reached with these settings, then run the case again.',
  metadata: 'Improve what the server declares about its tools: names, descriptions, annotations and schemas.',
  selection:
    'Compare the tools that the model called with the expected and the offered ones, and make their descriptions tell them apart.',
  arguments:
    'Compare the arguments that the model wrote with the input schema of the tool, and describe its inputs better.',
  serverData:
    'Look at what the tool returned and repair it in the server, or make its error say what to change.',
  userValue:
    'Read the last answer beside the checks it did not meet, and decide which of the two has to change.',
  evaluator:
    'Repair the check that could not be evaluated or record what it needs; the trial itself was not judged.',
};

/** What to do about a trial that did not pass. */
export function nextAction(category: FailureCategory | undefined): string {
  return category
    ? actions[category]
    : 'Read the trace of the trial to see where it ended or went another way.';
}

/** What to do about a trial that the run ended without. */
export const runAgain = 'This trial has no result. Run the case again.';
