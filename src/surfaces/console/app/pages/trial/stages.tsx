import type { Output } from '../../api/index.ts';
import { Glyph, type State } from '../../kit/state.tsx';
import { stageWord } from '../runs/states.ts';
import css from './trial.module.css';

type Stage = NonNullable<Output<'getEvalIteration'>['stageResults']>[number];

const states: Record<Stage['state'], { state: State; word: string }> = {
  passed: { state: 'passed', word: 'passed' },
  failed: { state: 'failed', word: 'failed' },
  notReached: { state: 'notEstablished', word: 'not reached' },
  notMeasured: { state: 'notMeasured', word: 'not measured' },
  notApplicable: { state: 'skipped', word: 'not required' },
};

/** Stages of a trial, from connection to final answer, each with its state. */
export function Stages({ stages }: { stages: Stage[] }) {
  return (
    <ol className={css.stages} aria-label="Stages">
      {stages.map(({ stage, state }) => (
        <li key={stage} title={`${stageWord(stage)}: ${states[state].word}`}>
          <Glyph state={states[state].state} label={states[state].word} />
          <span>{stageWord(stage)}</span>
        </li>
      ))}
    </ol>
  );
}
