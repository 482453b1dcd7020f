import { useState } from 'react';
import { api, ask, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Meter } from '../../charts/meter.tsx';
import { Button } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { RequiredField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { cost } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { Time } from '../../kit/time.tsx';
import css from './organization.module.css';
import type { OrganizationContext } from './organization-page.tsx';
import { percentsIn } from './percents.ts';

type SpendBudget = Output<'getSpendBudget'>;

export function Budget({ context: { organizationId, administers } }: { context: OrganizationContext }) {
  const [setting, setSetting] = useState(false);
  const budget = useQuery(ask('getSpendBudget', { organizationId }));
  const { data } = budget;
  return (
    <Section
      title="Spend this month"
      actions={
        <>
          <ApiExample operation="getSpendBudget" input={{ organizationId }} />
          {administers && data?.supported && (
            <>
              {data.capUsd !== null && <RemoveCap organizationId={organizationId} budget={data} />}
              <Button variant="primary" onClick={() => setSetting(true)}>
                {data.capUsd === null ? 'Set cap' : 'Change cap'}
              </Button>
            </>
          )}
        </>
      }
    >
      <QueryState of={budget} lines={2} />
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
          name="Models using this installation's keys"
          used={spentUsd}
          limit={capUsd}
          figure={cost}
          marks={capUsd === null ? [] : alertPercents.map((percent) => percent / 100)}
          note={
            <>
              Counted from the first of the month (UTC); resets <Time at={windowEndsAt} />. One credit is one
              US cent.
              {capUsd !== null &&
                alertPercents.length > 0 &&
                ` Alert thresholds: ${alertPercents.join(', ')}%.`}
              {alertedPercents.length > 0 && ` Passed this month: ${alertedPercents.join(', ')}%.`}
            </>
          }
        />
      </div>
      {capReachedAt !== null && (
        <Note>
          Spend cap reached <Time at={capReachedAt} />. New runs on this installation's keys are refused until
          the month ends or the cap is raised.
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
  const alertPercents = percentsIn(marks);
  const body = { capUsd: Number(cap), alertPercents: alertPercents ?? [] };
  const saving = useSubmit(() => api.setSpendBudget({ organizationId, body }), {
    says: 'Spend cap set',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Set monthly spend cap"
      verb="Set cap"
      action={saving}
      blocked={!alertPercents}
      onClose={onClose}
      example={<ApiExample operation="setSpendBudget" input={{ organizationId, body }} />}
    >
      <RequiredField
        label="Cap in USD"
        hint={`${cost(budget.spentUsd)} is spent this month.`}
        type="number"
        min={budget.minCapUsd}
        max={budget.maxCapUsd}
        step="any"
        value={cap}
        onChange={setCap}
      />
      <TextField
        label="Alert thresholds"
        hint="In percent, separated by commas. Passed thresholds are shown here."
        problem={alertPercents ? undefined : 'Up to ten whole numbers from 1 to 99.'}
        value={marks}
        aria-invalid={alertPercents === undefined}
        onChange={setMarks}
      />
      <Note>
        When the cap is reached, new runs are refused until the month ends or the cap is raised. Runs in
        progress continue.
      </Note>
    </FormDialog>
  );
}

function RemoveCap({ organizationId, budget }: { organizationId: string; budget: SpendBudget }) {
  const input = { organizationId };
  return (
    <ConfirmButton
      variant="danger"
      label="Remove cap"
      question="Remove the spend cap?"
      keep="Keep cap"
      write={() => api.clearSpendBudget(input)}
      says="Spend cap removed"
      example={<ApiExample operation="clearSpendBudget" input={input} />}
    >
      <p>
        The cap of {cost(budget.capUsd ?? 0)} and its thresholds are removed. Runs in all projects of the
        organization can then spend without a limit; past spend stays counted.
      </p>
    </ConfirmButton>
  );
}
