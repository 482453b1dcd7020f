import { Link } from '@tanstack/react-router';
import { Glyph, wordFor } from '../../kit/state.tsx';
import type { Outcome, Run } from './past.ts';
import css from './suites.module.css';

/** Results of a case in recent runs, newest at the right, each with a link to a trial. */
export function PastStrip({
  projectId,
  runs,
  outcomes,
}: {
  projectId: string;
  runs: readonly Run[];
  outcomes: readonly (Outcome | undefined)[];
}) {
  return (
    <ul className={css.strip} aria-label="Recent runs, newest last">
      {runs.map((run, at) => {
        const outcome = outcomes[at];
        if (!outcome)
          return (
            <li key={run.id} className={css.cell} title={`#${run.runNumber}: not included`}>
              <span className={css.absent} />
              <span className="visually-hidden">Run {run.runNumber}: not included</span>
            </li>
          );
        const { state, passed, judged, trialId } = outcome;
        const words = `#${run.runNumber}: ${wordFor(state)}, ${passed} of ${judged}`;
        return (
          <li key={run.id}>
            <Link
              to="/projects/$projectId/runs/$runId/trials/$trialId"
              params={{ projectId, runId: run.id, trialId }}
              preload={false}
              className={css.cell}
              title={words}
              aria-label={`Run ${words}`}
            >
              <Glyph state={state} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
