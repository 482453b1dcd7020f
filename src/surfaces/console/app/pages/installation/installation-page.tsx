import { askPeople, useQuery } from '../../api/index.ts';
import { Meter } from '../../charts/meter.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Note } from '../../kit/notice.tsx';
import { bytes, count } from '../../kit/numbers.ts';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { glanceOf, type Installation } from './glance.ts';
import css from './installation.module.css';
import { Models, Settings } from './parts.tsx';

/** Poll interval in milliseconds. */
const pollEvery = 15_000;

/** For operators: components of the installation and their health. */
export function InstallationPage() {
  const query = useQuery({ ...askPeople('getInstallation', {}), refetchInterval: pollEvery });
  const installation = query.data;
  return (
    <Page
      title="Installation"
      actions={
        <Button busy={query.isFetching} onClick={() => void query.refetch()}>
          Refresh
        </Button>
      }
    >
      <QueryState of={query} lines={10} />
      {installation && (
        <>
          <p className={common.facts} aria-live="polite">
            {glanceOf(installation, query.dataUpdatedAt).map(({ state, words }) => (
              <StateMark key={words} state={state}>
                {words}
              </StateMark>
            ))}
          </p>
          <Facts
            facts={[
              ['Version', installation.version],
              ['Node.js', installation.node],
              ['Public URL', <code key="url">{installation.publicUrl}</code>],
              ['Up since', <Time key="up" at={installation.startedAt} />],
              ['Accounts', count(installation.people.users)],
              ['Organizations', count(installation.people.organizations)],
              ['Open sessions', count(installation.people.sessions)],
              ['As of', <Time key="read" at={query.dataUpdatedAt} />],
            ]}
          />
          <Queues installation={installation} now={query.dataUpdatedAt} />
          <Failures installation={installation} />
          <Storage installation={installation} />
          <Replicas installation={installation} />
          <Models installation={installation} />
          <Settings installation={installation} />
        </>
      )}
    </Page>
  );
}

type Queue = Installation['queues'][number];

function queueColumns(now: number): Column<Queue>[] {
  return [
    { name: 'Kind', main: true, cell: ({ kind }) => <code>{kind}</code> },
    { name: 'Waiting', figure: true, cell: ({ waiting }) => count(waiting) },
    { name: 'Running', figure: true, cell: ({ running }) => count(running) },
    {
      name: 'Failed in 7 days',
      figure: true,
      cell: ({ failed }) =>
        failed === null ? <span className={common.soft}>not counted</span> : count(failed),
    },
    {
      name: 'Longest wait',
      figure: true,
      cell: ({ oldestDueAt }) => (oldestDueAt === null ? '' : duration(Math.max(0, now - oldestDueAt))),
    },
  ];
}

function Queues({ installation: { queues }, now }: { installation: Installation; now: number }) {
  return (
    <Section title="Jobs">
      {queues.length === 0 ? (
        <Note>No jobs are queued or running, and none failed in the last seven days.</Note>
      ) : (
        <Table label="Queues" columns={queueColumns(now)} rows={queues} keyOf={({ kind }) => kind} />
      )}
      <Note>Each recurring job shows one waiting job: its next run.</Note>
    </Section>
  );
}

type Failure = Installation['failures'][number];

const failureColumns: Column<Failure>[] = [
  { name: 'Kind', main: true, cell: ({ kind }) => <code>{kind}</code> },
  { name: 'Error', cell: ({ error }) => <span className={common.threeLines}>{error ?? 'unknown'}</span> },
  { name: 'Attempts', figure: true, cell: ({ attempts }) => count(attempts) },
  { name: 'Failed', figure: true, cell: ({ failedAt }) => <Time at={failedAt} /> },
];

function Failures({ installation: { failures } }: { installation: Installation }) {
  if (failures.length === 0) return null;
  return (
    <Section title="Failed jobs">
      <Table label="Failed jobs" columns={failureColumns} rows={failures} />
    </Section>
  );
}

function Storage({ installation: { database, blobs } }: { installation: Installation }) {
  const { total, idle, waiting, most } = database.connections;
  return (
    <Section title="Database and storage">
      <Facts
        facts={[
          ['PostgreSQL', `${database.version}${database.embedded ? ', embedded' : ''}`],
          ['Size', bytes(database.bytes)],
          ['Files', `${count(blobs.count)}, ${bytes(blobs.bytes)}`],
          [
            'File storage',
            <span key="place" className={common.breakable}>
              {blobs.place}
            </span>,
          ],
          ['Files pending removal', blobs.toRemove > 0 ? count(blobs.toRemove) : undefined],
          ['Requests waiting for a connection', waiting > 0 ? count(waiting) : undefined],
        ]}
      />
      <div className={css.meter}>
        <Meter
          name="Connections in use by this process"
          used={total - idle}
          limit={most}
          figure={count}
          note={`${count(total)} open, ${count(idle)} of them idle.`}
        />
      </div>
    </Section>
  );
}

type Replica = Installation['replicas'][number];

const replicaColumns: Column<Replica>[] = [
  { name: 'Process', main: true, cell: ({ id }) => <code>{id}</code> },
  { name: 'Role', cell: ({ role }) => role ?? 'service' },
  { name: 'Version', cell: ({ version }) => version ?? 'older' },
  { name: 'Last seen', figure: true, cell: ({ seenAt }) => <Time at={seenAt} /> },
];

function Replicas({ installation: { replicas, database } }: { installation: Installation }) {
  return (
    <Section title="Replicas">
      {replicas.length > 0 ? (
        <Table label="Replicas" columns={replicaColumns} rows={replicas} />
      ) : (
        <Note>
          {database.embedded
            ? 'The database is embedded, so this is the only process. Set DRYDOCK_DATABASE_URL to run several.'
            : 'No process has reported yet. This one will within a minute.'}
        </Note>
      )}
    </Section>
  );
}
