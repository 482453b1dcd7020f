import { Link } from '@tanstack/react-router';
import type { RunSearch } from '../../addresses.ts';
import common from '../../kit/common.module.css';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { Glyph } from '../../kit/state.tsx';
import { textOf } from '../../kit/text.ts';
import type { Run } from './decision.ts';
import css from './runs.module.css';
import { stageWord } from './states.ts';

type Failure = Run['decisionSummary']['diagnostics']['items'][number];

/** A trial that did not complete has not failed; the run's warnings cover it. */
const notCompleted: ReadonlySet<string> = new Set(['pending', 'running', 'skipped', 'cancelled']);

/** Cases shown in full; the grid has the others. */
const maxShown = 6;

/** Cases with failed trials: an example trial, where and why it failed, and what to do. */
export function Failures({ run, projectId, search }: { run: Run; projectId: string; search: RunSearch }) {
  const { items, complete } = run.decisionSummary.diagnostics;
  const byCase = new Map<string, Failure[]>();
  for (const item of items.filter(({ status }) => !notCompleted.has(status))) {
    const key = textOf(item['testCaseId'] ?? item['title'], item.iterationId);
    byCase.set(key, [...(byCase.get(key) ?? []), item]);
  }
  if (byCase.size === 0) return null;
  return (
    <Section title="Failures">
      <ul className={common.box}>
        {[...byCase].slice(0, maxShown).map(
          ([key, [first, ...others]]) =>
            first && (
              <li key={key} className={common.boxItem}>
                <Glyph state="failed" size={16} label="failed" />
                <div>
                  <p className={css.failedCase}>
                    <Link
                      to="/projects/$projectId/runs/$runId/trials/$trialId"
                      params={{ projectId, runId: run.id, trialId: first.iterationId }}
                      search={search}
                    >
                      {textOf(first['title'], 'Case')}, trial {first.iterationNumber}
                    </Link>
                    {others.length > 0 && (
                      <span className={css.soft}>
                        {' '}
                        and {others.length}
                        {complete ? '' : ' or more'} other {others.length === 1 ? 'trial' : 'trials'}
                      </span>
                    )}
                  </p>
                  <p className={common.threeLines}>{reasonOf(first)}</p>
                  <p className={css.soft}>{first.nextAction}</p>
                </div>
              </li>
            ),
        )}
      </ul>
      {byCase.size > maxShown && (
        <p className={css.soft}>
          {counted(byCase.size - maxShown, 'more case')}
          {complete ? '' : ' or more'} below.
        </p>
      )}
      {!complete && <p className={css.soft}>This list is partial. The grid has all trials.</p>}
    </Section>
  );
}

function reasonOf(item: Failure): string {
  const { reasons = [], stage } = item.evidence as { reasons?: string[]; stage?: string };
  const failure = (item['observed'] as { failure?: string } | undefined)?.failure;
  const where = stage === undefined ? '' : `Failed at ${stageWord(stage)}: `;
  return `${where}${reasons[0] ?? failure ?? (item.status === 'completed' ? 'Failed without a recorded reason.' : `Ended as ${item.status.replace('_', ' ')}.`)}`;
}
