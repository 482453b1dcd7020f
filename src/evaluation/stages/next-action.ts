import type { FailureCategory } from './stage.ts';

const actions: Readonly<Record<FailureCategory, string>> = {
  setup: 'Check that the server and the model can be reached with these settings, then run the case again.',
  metadata: 'Improve what the server declares about its tools: names, descriptions, annotations and schemas.',
  selection:
    'Compare the tools that were called with the expected ones, and make their descriptions tell them apart.',
  arguments:
    'Compare the arguments that were sent with the input schema of the tool, and describe its inputs better.',
  serverData:
    'Look at what the tool returned and repair it in the server, or make its error say what to change.',
  userValue:
    'Read the last answer beside the checks it did not meet, and decide which of the two has to change.',
  evaluator:
    'Repair the check that could not be evaluated or record what it needs; the trial itself was not judged.',
};

/** What to do about a trial that did not pass. */
export function nextAction(category: FailureCategory | undefined): string {
  return category ? actions[category] : 'Read the trace of the trial to see where it went another way.';
}
