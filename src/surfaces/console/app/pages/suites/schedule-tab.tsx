import { useState } from 'react';
import { api, ask, useAction, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { SelectField, submits, TextField } from '../../kit/field.tsx';
import { Note } from '../../kit/notice.tsx';
import { count } from '../../kit/numbers.ts';
import { Facts } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { intervalLabel, type Suite, scheduleState } from './suite-labels.ts';
import css from './suites.module.css';

const commonIntervals = [60, 360, 720, 1440, 10_080];

export function ScheduleTab({ suite }: { suite: Suite }) {
  const { schedule, projectId, environmentIds, declaredId } = suite;
  const [minutes, setMinutes] = useState(String(schedule.intervalMinutes ?? 1440));
  const [environmentId, setEnvironment] = useState(schedule.environmentId ?? environmentIds[0] ?? '');
  const environments = useQuery({
    ...ask('listEnvironments', { projectId }),
    enabled: environmentIds.length > 0,
  });
  const names = new Map(environments.data?.items.map(({ id, name }) => [id, name ?? id]));
  const interval = Number(minutes);
  const wrong = !Number.isInteger(interval) || interval < 5 || interval > 10_080;
  const inputOf = (enabled: boolean) => ({
    projectId,
    suiteId: suite.id,
    declaredSuiteId: declaredId,
    body: {
      enabled,
      ...(enabled && { intervalMinutes: interval }),
      ...(enabled && environmentId !== '' && { environmentId }),
    },
  });
  const saving = useAction((enabled: boolean) => api.updateEvalSuiteSchedule(inputOf(enabled)), {
    says: (changed) => (changed.schedule.enabled ? 'Schedule saved' : 'Schedule turned off'),
  });
  const { state, words } = scheduleState(suite);
  return (
    <>
      <Facts
        facts={[
          [
            'State',
            <StateMark key="now" state={state}>
              {words}
            </StateMark>,
          ],
          [
            'Next run',
            schedule.enabled && schedule.nextDueAt !== null ? (
              <Time key="at" at={schedule.nextDueAt} />
            ) : undefined,
          ],
          [
            'Consecutive failed launches',
            schedule.consecutiveFailures > 0 ? count(schedule.consecutiveFailures) : undefined,
          ],
        ]}
      />
      {state === 'attention' && <Note>Save the schedule to resume it.</Note>}
      <form className={css.form} onSubmit={submits(() => saving.mutate(true))}>
        <TextField
          label="Interval in minutes"
          hint={wrong ? undefined : intervalLabel(interval)}
          problem={wrong ? 'Between 5 and 10,080 minutes (one week)' : undefined}
          inputMode="numeric"
          list="usual-intervals"
          value={minutes}
          aria-invalid={wrong}
          onChange={setMinutes}
        />
        <datalist id="usual-intervals">
          {commonIntervals.map((one) => (
            <option key={one} value={one}>
              {intervalLabel(one)}
            </option>
          ))}
        </datalist>
        {environmentIds.length > 0 && (
          <SelectField
            label="Environment"
            value={environmentId}
            options={environmentIds.map((id) => [id, names.get(id) ?? id] as const)}
            onChange={setEnvironment}
          />
        )}
        <Note>Scheduled runs start as you, with your permissions, once per interval.</Note>
        <div className={common.row}>
          <Button type="submit" variant="primary" busy={saving.isPending} disabled={wrong}>
            {schedule.enabled ? 'Save schedule' : 'Turn on'}
          </Button>
          {schedule.enabled && (
            <Button busy={saving.isPending} onClick={() => saving.mutate(false)}>
              Turn off
            </Button>
          )}
          <ApiExample operation="updateEvalSuiteSchedule" input={inputOf(true)} />
        </div>
      </form>
    </>
  );
}
