import common from '../../../kit/common.module.css';
import { Note } from '../../../kit/notice.tsx';
import { percent } from '../../../kit/numbers.ts';
import { Glyph, type State, StateMark } from '../../../kit/state.tsx';
import { reasonText, type Session, sessionStatusOf } from '../states.ts';
import css from './session.module.css';

export function Grades({
  session,
  labels,
}: {
  session: Session;
  /** Criterion labels by ID. */
  labels: ReadonlyMap<string, string>;
}) {
  const { outcome, verdict, goalScore, criteria } = session;
  const { state, word } = sessionStatusOf({ status: outcome ?? 'pending', errorCode: null }, verdict);
  return (
    <section className={css.grades} aria-label="Grading">
      <h2>Verdict</h2>
      <p>
        <StateMark state={state}>{word}</StateMark>
      </p>
      {verdict && <p>{reasonText(verdict)}</p>}
      {goalScore && <Judge score={goalScore} />}
      {criteria && <Criteria criteria={criteria} session={session} labels={labels} />}
    </section>
  );
}

function Judge({
  score: { status, score, passed, reason, model },
}: {
  score: NonNullable<Session['goalScore']>;
}) {
  return (
    <>
      <h3>Judge</h3>
      <p>
        <StateMark state={judgeState(status, passed)}>
          {judgeLabels[status](passed)}
          {score !== undefined && `, score ${percent(Math.round(score * 100) / 100)}`}
        </StateMark>
      </p>
      {reason !== undefined && <p dir="auto">{reason}</p>}
      {model !== undefined && (
        <p className={common.soft}>
          By <code>{model}</code>.
        </p>
      )}
    </>
  );
}

type Status = NonNullable<Session['goalScore']>['status'];

function judgeState(status: Status, passed: boolean | undefined): State {
  if (status === 'scored') return passed ? 'passed' : 'failed';
  return status === 'pending' ? 'grading' : status === 'skipped' ? 'skipped' : 'attention';
}

const judgeLabels: Record<Status, (passed: boolean | undefined) => string> = {
  scored: (passed) => (passed ? 'goal reached' : 'goal not reached'),
  pending: () => 'running',
  skipped: () => 'not run',
  error: () => 'failed',
};

function Criteria({
  criteria,
  session,
  labels,
}: {
  criteria: NonNullable<Session['criteria']>;
  session: Session;
  labels: ReadonlyMap<string, string>;
}) {
  const advising = new Set(
    session.observations?.filter(({ role }) => role === 'advisory').map(({ evaluatorId }) => evaluatorId),
  );
  const { status, results = [], criterionIds = [] } = criteria;
  const told = new Map(results.map((one) => [one.criterionId, one]));
  const ids = [...new Set([...criterionIds, ...told.keys()])];
  return (
    <>
      <h3>Criteria</h3>
      {status === 'failed' && <Note>Criteria grading failed.</Note>}
      <ul className={css.criteria} aria-label="Criteria">
        {ids.map((id) => {
          const one = told.get(id);
          const state: State = !one
            ? status === 'pending'
              ? 'grading'
              : 'notMeasured'
            : one.status === 'error'
              ? 'attention'
              : one.passed
                ? 'passed'
                : 'failed';
          return (
            <li key={id}>
              <Glyph state={state} size={16} label={criterionLabels[state] ?? state} />
              <div>
                <p>
                  <bdi>{labels.get(id) ?? id}</bdi>
                  {advising.has(id) && <span className={common.soft}> advisory</span>}
                </p>
                {one?.reason !== undefined && (
                  <p className={common.soft} dir="auto">
                    {one.reason}
                  </p>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}

const criterionLabels: Partial<Record<State, string>> = {
  passed: 'met',
  failed: 'not met',
  grading: 'grading',
  notMeasured: 'not measured',
  attention: 'grading failed',
};
