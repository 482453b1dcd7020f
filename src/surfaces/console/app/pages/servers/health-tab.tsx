import { type Check, type Report, useChecks, useDoctor } from '../../api/doctor.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Code, Json } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { Section } from '../../kit/page.tsx';
import { QueryError } from '../../kit/query-state.tsx';
import { Glyph, type State } from '../../kit/state.tsx';
import { duration, Time } from '../../kit/time.tsx';
import type { ServerRef } from './address.ts';
import { RegularChecks } from './regular-checks.tsx';
import css from './servers.module.css';
import { TunnelSection } from './tunnel.tsx';

/** In the order of the connection: a failure is rarely caused by a later step. */
const steps: [keyof Report['checks'], string][] = [
  ['probe', 'URL'],
  ['connection', 'Connection'],
  ['initialization', 'Initialize'],
  ['capabilities', 'Capabilities'],
  ['tools', 'Tools'],
  ['prompts', 'Prompts'],
  ['resources', 'Resources'],
  ['resourceTemplates', 'Resource templates'],
];

const states: Record<Check['status'], State> = { ok: 'passed', error: 'failed', skipped: 'skipped' };

export function HealthTab({ which }: { which: ServerRef }) {
  const doctor = useDoctor(which);
  const found = useChecks(which);
  const report = doctor.data;
  const checks = doctor.isFetching ? found : report?.checks;
  return (
    <>
      <TunnelSection which={which} />
      <Section
        title="Diagnostics"
        actions={
          <>
            {report && (
              <span className={common.soft}>
                <Time at={Date.parse(report.generatedAt)} />
              </span>
            )}
            <ApiExample operation="runDoctor" input={{ ...which, body: {} }} />
            <Button onClick={() => void doctor.refetch()} busy={doctor.isFetching}>
              Run again
            </Button>
          </>
        }
      >
        <QueryError of={doctor} />
        <ol className={common.boxedList} aria-busy={doctor.isFetching || undefined}>
          {steps.map(([name, word]) => (
            <Step key={name} word={word} check={checks?.[name]} looking={doctor.isFetching} />
          ))}
        </ol>
      </Section>
      <RegularChecks which={which} />
      {report?.probe && report.probe.transport.attempts.length > 0 && (
        <Attempts attempts={report.probe.transport.attempts} />
      )}
      {report?.initInfo && (
        <Section title="Server info">
          <Json value={report.initInfo} label="server info" />
        </Section>
      )}
    </>
  );
}

function Step({ word, check, looking }: { word: string; check: Check | undefined; looking: boolean }) {
  const state = check ? states[check.status] : looking ? 'pending' : 'notMeasured';
  return (
    <li className={classes(css.step, check?.status === 'error' && common.failedGround)}>
      <Glyph
        state={state}
        size={16}
        label={check ? { ok: 'works', error: 'broken', skipped: 'skipped' }[check.status] : 'not checked yet'}
      />
      <span className={css.stepName}>{word}</span>
      <span className={check?.status === 'error' ? undefined : common.soft}>{check?.detail ?? '…'}</span>
    </li>
  );
}

type Attempt = NonNullable<Report['probe']>['transport']['attempts'][number];

function Attempts({ attempts }: { attempts: Attempt[] }) {
  return (
    <Section title="Requests">
      <div className={common.column}>
        {attempts.map((attempt, at) => (
          <details key={at} className={css.attempt}>
            <summary>
              <strong>{attempt.name}</strong>
              <code>
                {attempt.request.method} {attempt.request.url}
              </code>
              <span>{attempt.response ? `HTTP ${attempt.response.status}` : 'no answer'}</span>
              <span className={common.soft}>{duration(attempt.durationMs)}</span>
            </summary>
            <div className={css.exchange}>
              <div>
                <h3>Request</h3>
                <Json
                  value={{ headers: attempt.request.headers, body: attempt.request.body }}
                  label="request"
                />
              </div>
              <div>
                <h3>Response</h3>
                {attempt.error !== undefined && <p>{attempt.error}</p>}
                {attempt.response?.headers && (
                  <Json value={attempt.response.headers} label="response headers" />
                )}
                {attempt.response?.body && <Code text={attempt.response.body} label="response body" />}
              </div>
            </div>
          </details>
        ))}
      </div>
    </Section>
  );
}
