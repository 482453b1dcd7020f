import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Choices } from '../../kit/choices.tsx';
import { classes } from '../../kit/classes.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { cost, count, counted } from '../../kit/numbers.ts';
import { duration } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { type Estimate, estimateOf } from './estimate.ts';
import type { Suite } from './suite-words.ts';
import css from './suites.module.css';
import { usePast } from './use-past.ts';

/** So many runs say what the next is likely to take. */
const lookedAt = 5;

/** Starts a run: of which cases, how often, with which model, where; and what it will probably cost. */
export function Launch({ suite, onClose }: { suite: Suite; onClose: () => void }) {
  const { projectId, id: suiteId } = suite;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const cases = useQuery(ask('listEvalCases', { projectId, suiteId }));
  const models = useQuery(ask('listModels', {}));
  const { past } = usePast({ projectId, suiteId }, lookedAt);
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
  // Whose key is asked for; what is typed goes into the request and nowhere else.
  const bringing = known && !known.hosted && !known.offline && !several ? known.provider : undefined;
  const changed = async (): Promise<void> => {
    for (const id of ['listEvalSuiteRuns', 'listEvalRuns', 'listEvalSuites'] as const)
      await queryClient.invalidateQueries(answersOf(id));
  };
  const starting = useMutation({
    mutationFn: async () => {
      const keys = bringing && ownKey !== '' ? { modelApiKeys: { [bringing]: ownKey } } : {};
      if (!several)
        return { runId: (await api.createEvalRun({ projectId, body: { ...single.body, ...keys } })).runId };
      const { targets: started, failedCount } = await api.createEvalRunGroup(group);
      const failed = started.find(({ error }) => error !== undefined)?.error;
      if (failedCount > 0) complain(new Error(failed?.message ?? 'Some runs could not be started'));
      return { runId: undefined };
    },
    onSuccess: async ({ runId }) => {
      say(several ? 'Runs started' : 'Run started');
      void changed();
      if (runId === undefined)
        await navigate({
          to: '/projects/$projectId/runs',
          params: { projectId },
          search: { suite: suiteId },
        });
      else await navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId } });
    },
  });
  const estimate = estimateOf({
    suite,
    cases: chosen,
    past,
    override,
    model: chosen.some(({ models }) => model === '' && models.length > 0) ? undefined : known,
  });
  const startable = chosen.length > 0 && (!targets.needed || targets.chosen.length > 0);
  return (
    <Dialog onClose={onClose} title={`Run ${suite.name ?? 'suite'}`}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          starting.mutate();
        }}
      >
        <Field
          label="Model"
          hint={
            several
              ? 'With several targets each has its own model.'
              : model !== '' && 'For all cases, also those that name one.'
          }
        >
          <Select
            value={model}
            disabled={several}
            onChange={(event) => setModel(event.target.value)}
            options={[
              [
                '',
                `As the suite says${suite.executionConfig?.model ? ` (${suite.executionConfig.model})` : ''}`,
              ],
              ...(models.data?.items ?? []).map(
                ({ id, hosted, offline }) =>
                  [id, offline ? `${id} (offline)` : hosted ? id : `${id} (needs a key)`] as const,
              ),
            ]}
          />
        </Field>
        {bringing !== undefined && (
          <Field
            label={`Key for ${bringing}`}
            hint="This deployment has none. Yours is kept sealed for this run and is gone when it ends."
          >
            <TextInput
              type="password"
              autoComplete="off"
              value={ownKey}
              onChange={(event) => setOwnKey(event.target.value)}
            />
          </Field>
        )}
        <Field label="Trials of each case">
          <Select
            value={trials}
            onChange={(event) => setTrials(event.target.value)}
            options={[
              ['', 'As the suite says'],
              ...Array.from({ length: 10 }, (_, at) => [String(at + 1), String(at + 1)] as const),
            ]}
          />
        </Field>
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
            none="The suite has no case yet."
          />
        </details>
        <Field label="Notes" hint="Shown on the page of the run.">
          <TextInput maxLength={5000} value={notes} onChange={(event) => setNotes(event.target.value)} />
        </Field>
        <EstimateWords estimate={estimate} targets={Math.max(1, targets.chosen.length)} />
        <Disclosure projectId={projectId} suiteId={suiteId} override={model} />
        {starting.isError && <Problem error={starting.error} />}
        <div className={classes(css.actions, css.right)}>
          {several ? (
            <Same operation="createEvalRunGroup" input={group} />
          ) : (
            <Same operation="createEvalRun" input={single} />
          )}
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" busy={starting.isPending} disabled={!startable}>
            {several ? `Start ${targets.chosen.length} runs` : 'Start run'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type Target = { environmentId: string } | { namedHostId: string };

/** Where it may take place: the environments of the suite, else its clients. */
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

function EstimateWords({ estimate, targets }: { estimate: Estimate; targets: number }) {
  const { cases, trials, ms, unknown } = estimate;
  const price = estimate.cost;
  const times = (value: number): number => value * targets;
  const known = unknown === 0 ? '' : `; of ${counted(unknown, 'case')} no run says how long it takes`;
  return (
    <div className={css.estimate} role="status">
      <p>
        {counted(times(trials), 'trial')} of {counted(cases, 'case')}
        {targets > 1 && ` in ${count(targets)} runs`}
      </p>
      <p>
        {price === undefined
          ? 'What it will cost is not known: no run with this model says it, or the model has no prices.'
          : price.most === 0
            ? 'It costs nothing: the model runs in this service.'
            : price.least === price.most
              ? `About ${cost(times(price.most))}, by what the last runs cost.`
              : `Between ${cost(times(price.least))} and ${cost(times(price.most))}, by the tokens of the last runs.`}
      </p>
      {ms !== undefined && (
        <p className={css.soft}>
          About {duration(times(ms))} of trials one after the other{known}.
        </p>
      )}
    </div>
  );
}

/** Whom it asks. */
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
      Prompts and results go to{' '}
      {models
        .map(({ id, rail }) => (rail === 'in-process' ? `${id}, inside this service` : `${id} at ${rail}`))
        .join('; ')}
      .
    </Note>
  );
}
