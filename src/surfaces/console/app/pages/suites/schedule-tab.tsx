import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { Note } from '../../kit/notice.tsx';
import { count } from '../../kit/numbers.ts';
import { Facts } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { everyWords, type Suite, scheduleState } from './suite-words.ts';
import css from './suites.module.css';

const usual = [60, 360, 720, 1440, 10_080];

export function ScheduleTab({ suite }: { suite: Suite }) {
  const { schedule, projectId, environmentIds, declaredId } = suite;
  const [minutes, setMinutes] = useState(String(schedule.intervalMinutes ?? 1440));
  const [environmentId, setEnvironment] = useState(schedule.environmentId ?? environmentIds[0] ?? '');
  const queryClient = useQueryClient();
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
  const saving = useMutation({
    mutationFn: (enabled: boolean) => api.updateEvalSuiteSchedule(inputOf(enabled)),
    onSuccess: async (changed) => {
      say(changed.schedule.enabled ? 'Schedule saved' : 'Schedule switched off');
      await queryClient.invalidateQueries(answersOf('getEvalSuite'));
    },
    onError: complain,
  });
  const { state, words } = scheduleState(suite);
  return (
    <>
      <Facts
        facts={[
          [
            'Now',
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
            'Failed launches in a row',
            schedule.consecutiveFailures > 0 ? count(schedule.consecutiveFailures) : undefined,
          ],
        ]}
      />
      {state === 'attention' && <Note>Switching it on again ends the pause.</Note>}
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(true);
        }}
      >
        <Field
          label="Every so many minutes"
          hint={wrong ? undefined : everyWords(interval)}
          problem={wrong ? 'Between 5 and 10,080 minutes, which is a week' : undefined}
        >
          <TextInput
            inputMode="numeric"
            list="usual-intervals"
            value={minutes}
            aria-invalid={wrong}
            onChange={(event) => setMinutes(event.target.value)}
          />
        </Field>
        <datalist id="usual-intervals">
          {usual.map((one) => (
            <option key={one} value={one}>
              {everyWords(one)}
            </option>
          ))}
        </datalist>
        {environmentIds.length > 0 && (
          <Field label="Environment">
            <Select
              value={environmentId}
              onChange={(event) => setEnvironment(event.target.value)}
              options={environmentIds.map((id) => [id, names.get(id) ?? id] as const)}
            />
          </Field>
        )}
        <Note>
          It runs as you, with what you may do. Each time is fired once, however many replicas there are.
        </Note>
        <div className={css.actions}>
          <Button type="submit" look="primary" busy={saving.isPending} disabled={wrong}>
            {schedule.enabled ? 'Save schedule' : 'Switch on'}
          </Button>
          {schedule.enabled && (
            <Button busy={saving.isPending} onClick={() => saving.mutate(false)}>
              Switch off
            </Button>
          )}
          <Same operation="updateEvalSuiteSchedule" input={inputOf(true)} />
        </div>
      </form>
    </>
  );
}
