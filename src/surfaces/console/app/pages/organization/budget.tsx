import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Meter } from '../../charts/meter.tsx';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { LazyDialog } from '../../kit/lazy-dialog.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { cost } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './organization.module.css';
import type { Standing } from './organization-page.tsx';
import { percentsIn } from './percents.ts';

type SpendBudget = Output<'getSpendBudget'>;

/** What models have cost this month, against the cap. */
export function Budget({ standing: { organizationId, administers } }: { standing: Standing }) {
  const [setting, setSetting] = useState(false);
  const budget = useQuery(ask('getSpendBudget', { organizationId }));
  const { data } = budget;
  return (
    <Section
      title="Spend this month"
      actions={
        <>
          <Same operation="getSpendBudget" input={{ organizationId }} />
          {administers && data?.supported && (
            <>
              {data.capUsd !== null && <LiftCap organizationId={organizationId} budget={data} />}
              <Button look="primary" onClick={() => setSetting(true)}>
                {data.capUsd === null ? 'Set a cap' : 'Change the cap'}
              </Button>
            </>
          )}
        </>
      }
    >
      {budget.isPending && <Skeleton lines={2} />}
      {budget.isError && <Problem error={budget.error} retry={() => void budget.refetch()} />}
      {data && <Spent budget={data} />}
      {data && setting && (
        <CapDialog organizationId={organizationId} budget={data} onClose={() => setSetting(false)} />
      )}
    </Section>
  );
}

function Spent({ budget }: { budget: SpendBudget }) {
  const { capUsd, spentUsd, alertPercents, alertedPercents, capReachedAt, windowEndsAt } = budget;
  return (
    <>
      <div className={css.bars}>
        <Meter
          name="Models on keys of this deployment"
          used={spentUsd}
          limit={capUsd}
          figure={cost}
          marks={capUsd === null ? [] : alertPercents.map((percent) => percent / 100)}
          note={
            <>
              Counted from the first of the month (UTC), until <Time at={windowEndsAt} />. A credit is a cent.
              {capUsd !== null && alertPercents.length > 0 && ` Marks at ${alertPercents.join(', ')} %.`}
              {alertedPercents.length > 0 && ` Passed this month: ${alertedPercents.join(', ')} %.`}
            </>
          }
        />
      </div>
      {capReachedAt !== null && (
        <Note>
          The cap was reached <Time at={capReachedAt} />. New runs on keys of this deployment are refused
          until the month ends or the cap is raised.
        </Note>
      )}
    </>
  );
}

function CapDialog({
  organizationId,
  budget,
  onClose,
}: {
  organizationId: string;
  budget: SpendBudget;
  onClose: () => void;
}) {
  const [cap, setCap] = useState(budget.capUsd === null ? '' : String(budget.capUsd));
  const [marks, setMarks] = useState((budget.capUsd === null ? [80] : budget.alertPercents).join(', '));
  const queryClient = useQueryClient();
  const alertPercents = percentsIn(marks);
  const body = { capUsd: Number(cap), alertPercents: alertPercents ?? [] };
  const saving = useMutation({
    mutationFn: () => api.setSpendBudget({ organizationId, body }),
    onSuccess: async () => {
      onClose();
      say('Spend cap set');
      await queryClient.invalidateQueries(answersOf('getSpendBudget'));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (alertPercents) saving.mutate();
  };
  return (
    <LazyDialog onClose={onClose} title="Cap what is spent in a month">
      <form className={css.form} onSubmit={submit}>
        <Field label="Cap in USD" hint={`${cost(budget.spentUsd)} is spent this month.`}>
          <TextInput
            type="number"
            required
            min={budget.minCapUsd}
            max={budget.maxCapUsd}
            step="any"
            value={cap}
            onChange={({ target }) => setCap(target.value)}
          />
        </Field>
        <Field
          label="Mark these shares"
          hint="In percent, with commas between. When one is passed, it is shown here."
          problem={alertPercents ? undefined : 'Whole numbers from 1 to 99, ten at most.'}
        >
          <TextInput
            value={marks}
            aria-invalid={alertPercents === undefined}
            onChange={({ target }) => setMarks(target.value)}
          />
        </Field>
        <Note>
          Reached, new runs are refused until the month ends or the cap is raised. Runs under way go on.
        </Note>
        {saving.isError && <Problem error={saving.error} />}
        <footer className={css.foot}>
          <Same operation="setSpendBudget" input={{ organizationId, body }} />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={saving.isPending}>
            Set cap
          </Button>
        </footer>
      </form>
    </LazyDialog>
  );
}

function LiftCap({ organizationId, budget }: { organizationId: string; budget: SpendBudget }) {
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const lifting = useMutation({
    mutationFn: () => api.clearSpendBudget({ organizationId }),
    onSuccess: async () => {
      setAsking(false);
      say('Spend cap lifted');
      await queryClient.invalidateQueries(answersOf('getSpendBudget'));
    },
    onError: complain,
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Lift the cap
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title="Lift the spend cap?"
          verb="Lift the cap"
          keep="Keep the cap"
          busy={lifting.isPending}
          onConfirm={() => lifting.mutate()}
          lost={
            <>
              <p>
                The cap of {cost(budget.capUsd ?? 0)} and its marks are lost. Runs of every project in the
                organization may spend without one; what was spent stays counted.
              </p>
              <div>
                <Same operation="clearSpendBudget" input={{ organizationId }} />
              </div>
            </>
          }
        />
      )}
    </>
  );
}
