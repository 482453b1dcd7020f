import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, ask, askPages } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { useSwarmsOff } from '../../../api/features.ts';
import { partFrom } from '../../../api/parts.ts';
import { Button } from '../../../kit/button.tsx';
import { Confirm } from '../../../kit/confirm.tsx';
import { Id } from '../../../kit/copy.tsx';
import { Empty, Problem, Skeleton } from '../../../kit/notice.tsx';
import { percent } from '../../../kit/numbers.ts';
import { Facts, Page, Section } from '../../../kit/page.tsx';
import { complain, say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import { checkWords } from '../../suites/check-words.ts';
import css from '../swarms.module.css';
import { SwarmsOff } from '../swarms-off.tsx';
import { gradedBy, type Journey } from './journey-words.ts';
import { LaunchJourney } from './launch-journey.tsx';
import { RunsTable } from './runs-table.tsx';

const JourneyForm = partFrom(() => import('./journey-form.tsx'), 'JourneyForm');

const route = '/projects/$projectId/swarms/journeys/$journeyId';
/** How often runs are read again while one is under way. */
const pollEvery = 5_000;

export function JourneyPage() {
  const which = useParams({ from: route });
  const { projectId } = which;
  const off = useSwarmsOff(projectId);
  const { edit } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const journey = useQuery(ask('getJourney', which));
  const list = (
    <Link to="/projects/$projectId/swarms" params={{ projectId }} search={{ tab: 'journeys' }}>
      Swarms
    </Link>
  );
  if (off) return <SwarmsOff />;
  if (!journey.data)
    return (
      <Page title="Journey" name="Journey" crumbs={[list]}>
        {journey.isError ? (
          <Problem error={journey.error} retry={() => void journey.refetch()} back={list} />
        ) : (
          <Skeleton lines={8} />
        )}
      </Page>
    );
  const open = (wanted: boolean): void =>
    void navigate({ search: { edit: wanted ? (true as const) : undefined }, replace: true });
  const { name, goal } = journey.data;
  return (
    <Page
      title={name}
      name={name}
      crumbs={[list]}
      actions={
        <>
          <Same operation="getJourney" input={which} />
          <ArchiveJourney journey={journey.data} />
          <Button onClick={() => open(true)}>Edit</Button>
          <LaunchJourney journey={journey.data} />
        </>
      }
    >
      <p className={css.goal} dir="auto">
        {goal}
      </p>
      <JourneyFacts journey={journey.data} />
      <Rubric journey={journey.data} />
      <Runs which={which} />
      {edit && (
        <JourneyForm
          key={journey.data.updatedAt}
          projectId={projectId}
          journey={journey.data}
          onClose={() => open(false)}
        />
      )}
    </Page>
  );
}

function JourneyFacts({ journey }: { journey: Journey }) {
  const { projectId, personaId, swarmId, environmentIds, hostIds, sessionsPerTarget, maxTurns } = journey;
  const persona = useQuery(ask('getPersona', { projectId, personaId }));
  const swarm = useQuery({
    ...ask('getSwarm', { projectId, swarmId: swarmId ?? '' }),
    enabled: swarmId !== null,
  });
  const environments = useQuery({
    ...ask('listEnvironments', { projectId }),
    enabled: environmentIds.length > 0,
  });
  const clients = useQuery({ ...ask('listClients', { projectId }), enabled: hostIds.length > 0 });
  const names = new Map(
    [...(environments.data?.items ?? []), ...(clients.data?.items ?? [])].map(({ id, name }) => [id, name]),
  );
  const named = (ids: readonly string[]): string => ids.map((id) => names.get(id) ?? id).join(', ');
  return (
    <Facts
      facts={[
        ['Id', <Id key="id" value={journey.id} />],
        ['Persona', persona.data ? `${persona.data.name}, ${persona.data.role}` : undefined],
        ['Swarm', swarm.data?.name],
        ['Environments', named(environmentIds)],
        ['Clients', environmentIds.length > 0 ? undefined : named(hostIds)],
        ['Sessions with each target', sessionsPerTarget],
        ['Messages, at most', maxTurns],
        ['Graded by', gradedBy(journey)],
        ['Has to pass', percent(journey.passThreshold)],
      ]}
    />
  );
}

function Rubric({ journey: { rubric } }: { journey: Journey }) {
  if (!rubric) return null;
  return (
    <Section title="Rubric">
      <ul className={css.lines} aria-label="Criteria">
        {rubric.criteria.map(({ id, label, predicate }) => (
          <li key={id}>
            <strong>{label ?? id}</strong> <span className={css.soft}>{checkWords(predicate)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Runs({ which }: { which: { projectId: string; journeyId: string } }) {
  const runs = useInfiniteQuery({
    ...askPages('listJourneyRuns', which),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => status === 'running'))
        ? pollEvery
        : false,
  });
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title="Runs" actions={<Same operation="listJourneyRuns" input={which} />}>
      {runs.isPending && <Skeleton lines={4} />}
      {runs.isError && <Problem error={runs.error} retry={() => void runs.refetch()} />}
      {runs.isSuccess && items.length === 0 && (
        <Empty title="Not launched yet">
          A launch begins its sessions with every target, and grades each.
        </Empty>
      )}
      {items.length > 0 && <RunsTable projectId={which.projectId} runs={items} />}
      {runs.hasNextPage && (
        <div>
          <Button busy={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            Show earlier runs
          </Button>
        </div>
      )}
    </Section>
  );
}

function ArchiveJourney({ journey }: { journey: Journey }) {
  const { id: journeyId, projectId, name } = journey;
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const archiving = useMutation({
    mutationFn: () => api.archiveJourney({ projectId, journeyId }),
    onSuccess: async () => {
      say(`Journey ${name} archived`);
      await navigate({
        to: '/projects/$projectId/swarms',
        params: { projectId },
        search: { tab: 'journeys' },
      });
      await queryClient.invalidateQueries(answersOf('listJourneys'));
    },
    onError: complain,
  });
  return (
    <>
      <Button look="quiet" onClick={() => setAsking(true)}>
        Archive
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Archive ${name}?`}
          verb="Archive journey"
          busy={archiving.isPending}
          onConfirm={() => archiving.mutate()}
          same={<Same operation="archiveJourney" input={{ projectId, journeyId }} />}
          lost={
            <p>It leaves the lists and cannot be launched any more. Its runs stay, with their sessions.</p>
          }
        />
      )}
    </>
  );
}
