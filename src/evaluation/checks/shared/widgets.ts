import type { RenderObservation, TrialEvidence } from '../../evidence.ts';
import { type Finding, failed, missing } from './kind.ts';
import { inScope } from './scope.ts';

const unseen = missing('browser_unavailable: no browser was there to render what the tool brings');

export interface SeenWidgets {
  seen: readonly RenderObservation[];
  /** To be said in place of a pass: some could not be looked at. */
  unseen: Finding | undefined;
}

/** What became of the widgets in scope, or what to say when there are none to speak of. */
export function widgets(
  evidence: TrialEvidence,
  toolName: string | undefined,
): SeenWidgets | { none: Finding } {
  const observations = inScope(evidence.renders, toolName);
  const seen = observations.filter(({ status }) => status !== 'browser_unavailable');
  const blind = seen.length < observations.length || evidence.browserAvailable === false;
  if (seen.length === 0)
    return { none: blind ? unseen : failed(`No widget${toolName ? ` of ${toolName}` : ''} was rendered`) };
  return { seen, unseen: seen.length < observations.length ? unseen : undefined };
}
