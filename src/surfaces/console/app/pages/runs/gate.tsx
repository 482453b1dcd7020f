import { Link } from '@tanstack/react-router';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import common from '../../kit/common.module.css';
import { Section } from '../../kit/page.tsx';
import { QueryError } from '../../kit/query-state.tsx';
import { Glyph, type State, StateMark } from '../../kit/state.tsx';
import css from './runs.module.css';

type Gate = Output<'getEvalRunGate'>;

const states: Record<Gate['outcome'], { state: State; words: string }> = {
  passed: { state: 'passed', words: 'passed' },
  failed: { state: 'failed', words: 'failed' },
  non_gateable: { state: 'notEstablished', words: 'could not be evaluated' },
  not_configured: { state: 'notMeasured', words: 'no gate' },
};

/** The quality gate; hidden if the suite has none. */
export function GateSection({ projectId, runId }: { projectId: string; runId: string }) {
  const gate = useQuery(ask('getEvalRunGate', { projectId, runId }));
  if (gate.isError) return <QueryError of={gate} />;
  if (!gate.data || gate.data.outcome === 'not_configured') return null;
  const { outcome, conditions, baseline, policyError } = gate.data;
  const { state, words } = states[outcome];
  return (
    <Section
      title="Quality gate"
      actions={<ApiExample operation="getEvalRunGate" input={{ projectId, runId }} />}
    >
      <p className={common.row}>
        <StateMark state={state}>{words}</StateMark>
        {baseline && (
          <Link
            to="/projects/$projectId/runs/$runId/compare"
            params={{ projectId, runId }}
            search={{ with: baseline.baseRunId }}
          >
            Compare with the baseline
          </Link>
        )}
      </p>
      {policyError !== undefined && <p>{policyError}</p>}
      <ul className={common.box}>
        {conditions.map((one, at) => (
          <li key={at} className={common.boxItem}>
            <Glyph state={states[one.status].state} size={16} label={states[one.status].words} />
            <div>
              <p>{one.message}</p>
              {one.reason !== undefined && <p className={css.soft}>{one.reason}</p>}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
