import type { RenderObservation, TrialEvidence } from '../../evidence.ts';
import { type CheckFinding, failed, missing } from './kind.ts';
import { inScope } from './scope.ts';

const unseen = missing('browser_unavailable: no browser was available to render the widget');

export interface SeenWidgets {
  seen: readonly RenderObservation[];
  /** Replaces a pass when some widgets could not be rendered for lack of a browser. */
  unseen: CheckFinding | undefined;
}

/** The widgets in scope that a browser rendered or tried to render. Without any, a finding. */
export function widgets(
  evidence: TrialEvidence,
  toolName: string | undefined,
): SeenWidgets | { none: CheckFinding } {
  const observations = inScope(evidence.renders, toolName);
  const seen = observations.filter(({ status }) => status !== 'browser_unavailable');
  const blind = seen.length < observations.length || evidence.browserAvailable === false;
  if (seen.length === 0)
    return { none: blind ? unseen : failed(`No widget${toolName ? ` of ${toolName}` : ''} was rendered`) };
  return { seen, unseen: seen.length < observations.length ? unseen : undefined };
}
