import { publicText } from './failure.ts';
import type { TurnFinish } from './turn.ts';

/** How a turn ends that neither the model nor a failure has ended. */
type CutOff = Exclude<TurnFinish, 'stop' | 'aborted' | 'error'>;

/** Why the model did not come to its own end, in words. `raw` is what the provider calls it. */
export function cutOffWords(finish: CutOff, raw?: string): string {
  switch (finish) {
    case 'length':
      return 'The model reached its output limit before it finished';
    case 'content-filter':
      return "The provider's content filter stopped the model";
    case 'step-limit':
      return 'The model was stopped at the step limit: it was still calling tools';
    case 'other':
      return `The model stopped for an unknown reason: ${publicText(raw ?? 'none given')}`;
  }
}
