import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { Rate } from '../../charts/rate.tsx';
import { Button } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import common from '../../kit/common.module.css';
import { Select, TextInput } from '../../kit/field.tsx';
import { Empty } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { QueryError, QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { caseText, openingOf } from './check-labels.ts';
import { type Outcome, outcomesOf, type Run } from './past.ts';
import { PastStrip } from './strip.tsx';
import type { Suite } from './suite-labels.ts';
import css from './suites.module.css';
import { usePast } from './use-past.ts';

type Case = Output<'listEvalCases'>['items'][number];

const route = '/projects/$projectId/suites/$suiteId';
const lastRuns = 20;
const pageSize = 100;

type Shown = 'all' | 'failing' | 'flaky';

export function CasesTab({ suite }: { suite: Suite }) {
  const which = { projectId: suite.projectId, suiteId: suite.id };
  const { case: open } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const [words, setText] = useState('');
  const [shown, setShown] = useState<Shown>('all');
  const [most, setMost] = useState(pageSize);
  const cases = useQuery(ask('listEvalCases', which));
  const { past, runs, reading } = usePast(which, lastRuns);
  const outcomes = useMemo(() => outcomesOf(past), [past]);
  const add = (): void => void navigate({ search: (before) => ({ ...before, case: 'new' }) });
  if (!cases.isSuccess) return <QueryState of={cases} lines={8} />;
  const { items } = cases.data;
  const newCase = suite.managedBy === 'app' && (
    <Button onClick={add} variant={items.length === 0 ? 'primary' : 'plain'}>
      New case
    </Button>
  );
  if (items.length === 0)
    return (
      <Empty title="No cases yet" action={newCase}>
        A case defines what a user says and the checks the result must pass.
      </Empty>
    );
  const chosen = items.filter((one) => fits(one, outcomes.get(one.id), words, shown));
  return (
    <>
      <search className={common.row}>
        <TextInput
          type="search"
          aria-label="Filter cases"
          placeholder="Filter cases"
          className={css.search}
          value={words}
          onChange={(event) => setText(event.target.value)}
        />
        <Select
          aria-label="Show cases"
          value={shown}
          onChange={(event) => setShown(event.target.value as Shown)}
          options={[
            ['all', 'All cases'],
            ['failing', 'Not passed in the last run'],
            ['flaky', 'Flaky in recent runs'],
          ]}
        />
        {newCase}
        <span className={css.behind} role="status">
          {chosen.length === items.length
            ? counted(items.length, 'case')
            : `${chosen.length} of ${counted(items.length, 'case')}`}
          {past.length > 0 && `, ${reading ? 'loading ' : ''}last ${counted(past.length, 'run')}`}
        </span>
      </search>
      <QueryError of={runs} />
      <ul className={common.box} aria-label="Cases">
        {chosen.slice(0, most).map((one) => (
          <CaseLine
            key={one.id}
            one={one}
            suite={suite}
            runs={past.map(({ run }) => run)}
            outcomes={outcomes.get(one.id) ?? []}
            open={one.id === open}
          />
        ))}
      </ul>
      {chosen.length > most && (
        <div>
          <Button onClick={() => setMost(most + pageSize)}>Show more</Button>
        </div>
      )}
      {chosen.length === 0 && <p className={common.soft}>No results.</p>}
    </>
  );
}

function fits(
  { title, steps }: Case,
  outcomes: readonly (Outcome | undefined)[] = [],
  words: string,
  shown: Shown,
): boolean {
  if (!`${title} ${openingOf(steps).text}`.toLowerCase().includes(words.trim().toLowerCase())) return false;
  if (shown === 'flaky') return outcomes.some((one) => one?.state === 'flaky');
  return shown === 'all' || !['passed', 'running'].includes(lastOf(outcomes)?.state ?? '');
}

/** The outcome in the newest run that included the case. */
function lastOf(outcomes: readonly (Outcome | undefined)[]): Outcome | undefined {
  return outcomes.findLast((one) => one !== undefined);
}

function CaseLine({
  one,
  suite,
  runs,
  outcomes,
  open,
}: {
  one: Case;
  suite: Suite;
  runs: Run[];
  outcomes: readonly (Outcome | undefined)[];
  open: boolean;
}) {
  const { text, turns } = openingOf(one.steps);
  const asked = caseText(one);
  const last = lastOf(outcomes);
  const flaky = outcomes.filter((outcome) => outcome?.state === 'flaky').length;
  const needed = one.passThreshold ?? suite.settings.verdictPolicyDefaults?.passThreshold;
  return (
    <li className={css.case} aria-current={open || undefined}>
      <div className={css.about}>
        <p className={css.caseName}>
          <Link from={route} to="." search={(before) => ({ ...before, case: one.id })}>
            {one.title}
          </Link>
          {flaky > 0 && (
            <StateMark state="flaky">
              flaky in {flaky} of {counted(runs.length, 'run')}
            </StateMark>
          )}
          {one.disabled && <StateMark state="skipped">disabled</StateMark>}
        </p>
        <p className={classes(common.twoLines, css.prompt)}>
          {text}
          {turns > 1 && ` (${turns} turns)`}
        </p>
        <p className={common.twoLines}>{asked.length > 0 ? asked.join(', ') : 'No additional checks'}</p>
      </div>
      <div className={css.strips}>
        <PastStrip projectId={suite.projectId} runs={runs} outcomes={outcomes} />
      </div>
      <div>
        {last ? (
          <Rate passed={last.passed} trials={last.judged} needed={needed} />
        ) : (
          <span className={common.soft}>no recent run</span>
        )}
      </div>
    </li>
  );
}
