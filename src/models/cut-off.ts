import { publicText } from './failure.ts';
import type { TurnFinish } from './turn.ts';

/** Reasons for the end of a turn other than the model's own stop, an abort or an error. */
type CutOff = Exclude<TurnFinish, 'stop' | 'aborted' | 'error'>;

/** Explains why the model was cut off. `raw` is the provider's own reason. */
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
