import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Choices } from '../../kit/choices.tsx';
import common from '../../kit/common.module.css';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { cost, count, counted } from '../../kit/numbers.ts';
import { duration } from '../../kit/time.tsx';
import { toastError } from '../../kit/toast.tsx';
import { type Estimate, estimateOf } from './estimate.ts';
import type { Suite } from './suite-labels.ts';
import css from './suites.module.css';
import { usePast } from './use-past.ts';

/** Number of past runs that the estimate is based on. */
const estimateRuns = 5;

/** Starts a run with selected cases, trials, model and targets, and estimates its cost. */
export function Launch({ suite, onClose }: { suite: Suite; onClose: () => void }) {
  const { projectId, id: suiteId } = suite;
  const navigate = useNavigate();
  const cases = useQuery(ask('listEvalCases', { projectId, suiteId }));
  const models = useQuery(ask('listModels', {}));
  const { past } = usePast({ projectId, suiteId }, estimateRuns);
  const targets = useTargets(suite);
  const [picked, setPicked] = useState<string[]>();
  const [trials, setTrials] = useState('');
  const [model, setModel] = useState('');
  const [notes, setNotes] = useState('');
  const [ownKey, setOwnKey] = useState('');
  const all = cases.data?.items.filter(({ disabled }) => !disabled) ?? [];
  const chosen = picked === undefined ? all : all.filter(({ id }) => picked.includes(id));
  const several = targets.chosen.length > 1;
  const override = trials === '' ? undefined : Number(trials);
  const launch = {
    suiteId,
    ...(picked !== undefined && picked.length < all.length && { caseIds: picked }),
    ...(override !== undefined && { iterationOverride: override }),
    ...(notes.trim() !== '' && { notes: notes.trim() }),
  };
  const single = {
    projectId,
    body: { ...launch, ...(model !== '' && !several && { model }), ...targets.chosen[0] },
  };
  const group = { projectId, body: { ...launch, targets: targets.chosen } };
  const modelId = model || suite.executionConfig?.model;
  const known = models.data?.items.find(({ id }) => id === modelId);
  // The provider whose key is asked for. The service stores the key encrypted until the run ends.
  const bringing = known && !known.hosted && !known.offline && !several ? known.provider : undefined;
  const starting = useSubmit(
    async () => {
      const keys = bringing && ownKey !== '' ? { modelApiKeys: { [bringing]: ownKey } } : {};
      if (!several)
        return { runId: (await api.createEvalRun({ projectId, body: { ...single.body, ...keys } })).runId };
      const { targets: started, failedCount } = await api.createEvalRunGroup(group);
      const failed = started.find(({ error }) => error !== undefined)?.error;
      if (failedCount > 0) toastError(new Error(failed?.message ?? 'Some runs could not be started'));
      return { runId: undefined };
    },
    {
      says: several ? 'Runs started' : 'Run started',
      onDone: async ({ runId }) => {
        if (runId === undefined)
          await navigate({
            to: '/projects/$projectId/runs',
            params: { projectId },
            search: { suite: suiteId },
          });
        else await navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } });
      },
    },
  );
  const estimate = estimateOf({
    suite,
    cases: chosen,
    past,
    override,
    model: chosen.some(({ models }) => model === '' && models.length > 0) ? undefined : known,
  });
  const startable = chosen.length > 0 && (!targets.needed || targets.chosen.length > 0);
  return (
    <FormDialog
      title={`Run ${suite.name ?? 'suite'}`}
      verb={several ? `Start ${targets.chosen.length} runs` : 'Start run'}
      action={starting}
      blocked={!startable}
      onClose={onClose}
      example={
        several ? (
          <ApiExample operation="createEvalRunGroup" input={group} />
        ) : (
          <ApiExample operation="createEvalRun" input={single} />
        )
      }
    >
      <SelectField
        label="Model"
        hint={
          several
            ? 'With several targets, each uses its own model.'
            : model !== '' && 'For all cases, including those that set a model.'
        }
        value={model}
        disabled={several}
        options={[
          ['', `Suite default${suite.executionConfig?.model ? ` (${suite.executionConfig.model})` : ''}`],
          ...(models.data?.items ?? []).map(
            ({ id, hosted, offline }) =>
              [id, offline ? `${id} (offline)` : hosted ? id : `${id} (needs a key)`] as const,
          ),
        ]}
        onChange={setModel}
      />
      {bringing !== undefined && (
        <TextField
          label={`Key for ${bringing}`}
          hint="This installation has none. Your key is encrypted for this run and deleted when the run ends."
          type="password"
          autoComplete="off"
          value={ownKey}
          onChange={setOwnKey}
        />
      )}
      <SelectField
        label="Trials per case"
        value={trials}
        options={[
          ['', 'Suite default'],
          ...Array.from({ length: 10 }, (_, at) => [String(at + 1), String(at + 1)] as const),
        ]}
        onChange={setTrials}
      />
      {targets.options.length > 0 && (
        <Choices
          legend={targets.label}
          choices={targets.options.map(([value, name]) => ({ value, name }))}
          chosen={targets.ids}
          onChange={targets.choose}
          none=""
        />
      )}
      <details>
        <summary>
          {picked === undefined
            ? `All ${counted(all.length, 'case')}`
            : `${chosen.length} of ${counted(all.length, 'case')}`}
        </summary>
        <Choices
          legend="Cases"
          choices={all.map(({ id, title }) => ({ value: id, name: title }))}
          chosen={chosen.map(({ id }) => id)}
          onChange={(next) => setPicked(next.length === all.length ? undefined : next)}
          none="This suite has no cases."
        />
      </details>
      <TextField
        label="Notes"
        hint="Shown on the run page."
        maxLength={5000}
        value={notes}
        onChange={setNotes}
      />
      <EstimateText estimate={estimate} targets={Math.max(1, targets.chosen.length)} />
      <Disclosure projectId={projectId} suiteId={suiteId} override={model} />
    </FormDialog>
  );
}

type Target = { environmentId: string } | { namedHostId: string };

/** Possible targets: the environments of the suite, otherwise its clients. */
function useTargets({ projectId, environmentIds, hosts }: Suite) {
  const environments = useQuery({
    ...ask('listEnvironments', { projectId }),
    enabled: environmentIds.length > 0,
  });
  const names = new Map(environments.data?.items.map(({ id, name }) => [id, name ?? id]));
  const inEnvironments = environmentIds.length > 0;
  const options = inEnvironments
    ? environmentIds.map((id) => [id, names.get(id) ?? id] as const)
    : hosts.map(({ id, name }) => [id, name] as const);
  const [ids, choose] = useState<string[]>(() => options.slice(0, 1).map(([id]) => id));
  const chosen = ids.map((id): Target => (inEnvironments ? { environmentId: id } : { namedHostId: id }));
  return {
    label: inEnvironments ? 'Environments' : 'Clients',
    options,
    ids,
    choose,
    chosen,
    needed: inEnvironments,
  };
}

function EstimateText({ estimate, targets }: { estimate: Estimate; targets: number }) {
  const { cases, trials, ms, unknown } = estimate;
  const price = estimate.cost;
  const times = (value: number): number => value * targets;
  const known = unknown === 0 ? '' : `; ${counted(unknown, 'case has', 'cases have')} no timing yet`;
  return (
    <div className={css.estimate} role="status">
      <p>
        {counted(times(trials), 'trial')} of {counted(cases, 'case')}
        {targets > 1 && ` in ${count(targets)} runs`}
      </p>
      <p>
        {price === undefined
          ? 'Cost unknown: no past run with this model, or the model has no prices.'
          : price.most === 0
            ? 'No cost: the model runs in this service.'
            : price.least === price.most
              ? `About ${cost(times(price.most))}, based on the cost of recent runs.`
              : `Between ${cost(times(price.least))} and ${cost(times(price.most))}, based on the tokens of recent runs.`}
      </p>
      {ms !== undefined && (
        <p className={common.soft}>
          About {duration(times(ms))} of trials in sequence{known}.
        </p>
      )}
    </div>
  );
}

function Disclosure({
  projectId,
  suiteId,
  override,
}: {
  projectId: string;
  suiteId: string;
  override: string;
}) {
  const said = useQuery({ ...ask('getEvalRunDisclosure', { projectId, suiteId }), enabled: override === '' });
  const models = override === '' ? (said.data?.execution?.models ?? []) : [];
  if (models.length === 0) return null;
  return (
    <Note>
      Prompts and results are sent to{' '}
      {models
        .map(({ id, rail }) => (rail === 'in-process' ? `${id}, inside this service` : `${id} at ${rail}`))
        .join('; ')}
      .
    </Note>
  );
}
