import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useSwarmsOff } from '../../../api/features.ts';
import { api, ask, askPages, useInfiniteQuery, useQuery } from '../../../api/index.ts';
import { partFrom } from '../../../api/parts.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Button } from '../../../kit/button.tsx';
import common from '../../../kit/common.module.css';
import { ConfirmButton } from '../../../kit/confirm.tsx';
import { Id } from '../../../kit/copy.tsx';
import { percent } from '../../../kit/numbers.ts';
import { Facts, Page, Section } from '../../../kit/page.tsx';
import { LoadingPage, QueryState, ShowMore } from '../../../kit/query-state.tsx';
import { checkText } from '../../suites/check-labels.ts';
import css from '../swarms.module.css';
import { SwarmsOff } from '../swarms-off.tsx';
import { gradedBy, type Journey } from './journey-labels.ts';
import { LaunchJourney } from './launch-journey.tsx';
import { RunsTable } from './runs-table.tsx';

const JourneyForm = partFrom(() => import('./journey-form.tsx'), 'JourneyForm');

const route = '/projects/$projectId/swarms/journeys/$journeyId';
/** Poll interval in milliseconds while a run is in progress. */
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
  if (!journey.data) return <LoadingPage of={journey} title="Journey" crumbs={[list]} />;
  const open = (wanted: boolean): void =>
    void navigate({ search: { edit: wanted ? (true as const) : undefined }, replace: true });
  const { name, goal } = journey.data;
  return (
    <Page
      title={name}
      crumbs={[list]}
      actions={
        <>
          <ApiExample operation="getJourney" input={which} />
          <ArchiveJourney journey={journey.data} />
          <Button onClick={() => open(true)}>Edit</Button>
          <LaunchJourney journey={journey.data} />
        </>
      }
    >
      <p className={common.prose} dir="auto">
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
        ['ID', <Id key="id" value={journey.id} />],
        ['Persona', persona.data ? `${persona.data.name}, ${persona.data.role}` : undefined],
        ['Swarm', swarm.data?.name],
        ['Environments', named(environmentIds)],
        ['Clients', environmentIds.length > 0 ? undefined : named(hostIds)],
        ['Sessions per target', sessionsPerTarget],
        ['Maximum persona messages', maxTurns],
        ['Graded by', gradedBy(journey)],
        ['Pass threshold', percent(journey.passThreshold)],
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
            <strong>{label ?? id}</strong> <span className={common.soft}>{checkText(predicate)}</span>
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
  const items = runs.data?.items ?? [];
  return (
    <Section title="Runs" actions={<ApiExample operation="listJourneyRuns" input={which} />}>
      <QueryState of={runs} lines={4} empty={items.length === 0} title="No runs yet">
        A launch starts sessions with every target and grades each session.
      </QueryState>
      {items.length > 0 && <RunsTable projectId={which.projectId} runs={items} />}
      <ShowMore of={runs}>Show more</ShowMore>
    </Section>
  );
}

function ArchiveJourney({ journey: { id: journeyId, projectId, name } }: { journey: Journey }) {
  const navigate = useNavigate();
  const input = { projectId, journeyId };
  return (
    <ConfirmButton
      variant="quiet"
      label="Archive"
      question={`Archive ${name}?`}
      verb="Archive journey"
      write={() => api.archiveJourney(input)}
      says={`Journey ${name} archived`}
      onDone={() =>
        navigate({
          to: '/projects/$projectId/swarms',
          params: { projectId },
          search: { tab: 'journeys' },
        })
      }
      example={<ApiExample operation="archiveJourney" input={input} />}
    >
      <p>The journey is removed from lists and can no longer be launched. Its runs and sessions are kept.</p>
    </ConfirmButton>
  );
}
