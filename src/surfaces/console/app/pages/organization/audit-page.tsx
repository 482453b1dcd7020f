import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  ask,
  askPeople,
  askPeoplePages,
  type ConsoleOutput,
  useInfiniteQuery,
  useQuery,
} from '../../api/index.ts';
import { Id } from '../../kit/copy.tsx';
import { Facts } from '../../kit/page.tsx';
import { QueryError } from '../../kit/query-state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { type AuditSearch, beginOf, endOf } from './address.ts';
import { AuditFilters } from './audit-filters.tsx';
import { actionText } from './audit-labels.ts';
import css from './organization.module.css';
import { type OrganizationContext, OrganizationPage } from './organization-page.tsx';

type Event = ConsoleOutput<'listAuditEvents'>['items'][number];

const route = '/organizations/$organizationId/audit';

export function AuditPage() {
  return <OrganizationPage name="Audit log">{(context) => <Audit context={context} />}</OrganizationPage>;
}

function Audit({ context: { organizationId } }: { context: OrganizationContext }) {
  const search = useSearch({ from: route });
  const { action, actor, target, project, from, to, open } = search;
  const navigate = useNavigate({ from: route });
  const set = (changed: AuditSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const events = useInfiniteQuery(
    askPeoplePages('listAuditEvents', {
      organizationId,
      action,
      actor,
      target,
      projectId: project,
      from: beginOf(from),
      to: endOf(to),
      limit: 50,
    }),
  );
  const members = useQuery({ ...askPeople('listMembers', { organizationId }), enabled: events.isSuccess });
  const projects = useQuery({ ...ask('listProjects', {}), enabled: events.isSuccess });
  // Without access to the events, filters are useless.
  if (events.isError) return <QueryError of={events} />;
  const projectNames = new Map(projects.data?.items.map(({ id, name }) => [id, name]));
  return (
    <>
      <AuditFilters
        search={search}
        set={set}
        actors={(members.data?.items ?? []).map(({ userId, name, email }) => [userId, `${name}, ${email}`])}
        projects={[...projectNames]}
      />
      <QueryTable
        of={events}
        lines={10}
        title="No matching events"
        label="Audit log"
        columns={columnsOf(projectNames)}
        unfolding={{ ...unfoldingIn(organizationId), open, toggle: (key) => set({ open: key }) }}
        more="Show earlier events"
      >
        Remove a filter.
      </QueryTable>
    </>
  );
}

function unfoldingIn(organizationId: string) {
  return {
    nameOf: ({ action, id }: Event) => `${actionText(action)} ${id.slice(-6)}`,
    content: (event: Event) => <EventDetails event={event} organizationId={organizationId} />,
  };
}

function columnsOf(projectNames: Map<string, string>): Column<Event>[] {
  return [
    { name: 'Action', main: true, cell: ({ action }) => <span title={action}>{actionText(action)}</span> },
    { name: 'Actor', cell: (event) => actorText(event) },
    { name: 'Target', cell: ({ target }) => <Id value={target} /> },
    {
      name: 'Project',
      cell: ({ projectId }) => (projectId === null ? '' : (projectNames.get(projectId) ?? projectId)),
    },
    { name: 'Time', figure: true, cell: ({ at }) => <Time at={at} /> },
  ];
}

function actorText({ actor }: Event): string {
  if (actor.id === 'operator') return 'the command line';
  if (actor.id === 'visitor') return 'anonymous';
  return actor.name ?? actor.email ?? actor.id;
}

/** `oldRole` becomes “Old role”. */
function nameOf(field: string): string {
  const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** All details of an event, with links to related events. */
function EventDetails({ event, organizationId }: { event: Event; organizationId: string }) {
  const { id, at, actor, action, target, projectId, requestId, details } = event;
  const only = (search: AuditSearch, words: string) => (
    <Link to={route} params={{ organizationId }} search={search}>
      {words}
    </Link>
  );
  return (
    <div className={css.once}>
      <Facts
        facts={[
          ['Event', <Id key="id" value={id} />],
          ['Action', <code key="action">{action}</code>],
          ['Time', `${new Date(at).toISOString().replace('T', ' ').slice(0, 23)} UTC`],
          ['Actor', <Id key="actor" value={actor.id} />],
          ['Email', actor.email],
          ['Target', <Id key="target" value={target} />],
          ['Project', projectId && <Id key="project" value={projectId} />],
          ['Request', requestId && <Id key="request" value={requestId} />],
          ...Object.entries(details ?? {}).map(([name, value]): [string, string] => [
            nameOf(name),
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        ]}
      />
      <p className={css.left}>
        {only({ actor: actor.id }, 'All events by this actor')}
        {only({ target }, 'All events on this target')}
        {only({ action: `${action.split('.')[0]}.*` }, 'All events of this kind')}
      </p>
    </div>
  );
}
