import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ask, fetchQuery, type Output, useQueries, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button, linkClass } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { count, counted } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { AddServer } from './add/add-server.tsx';
import type { WayToAdd } from './address.ts';
import { type Health, healthOf } from './health.ts';
import { type Tunnel, TunnelMark } from './tunnel.tsx';

type Server = Output<'listProjectServers'>['items'][number];

/** Number of servers checked when the page opens; the others are checked on request. */
const checkedOnOpen = 20;

interface Row {
  server: Server;
  tunnel: Tunnel | undefined;
  health: Health | undefined;
  looking: boolean;
}

export function ServersPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/servers' });
  const { add } = useSearch({ from: '/projects/$projectId/servers' });
  const navigate = useNavigate({ from: '/projects/$projectId/servers' });
  const servers = useQuery(ask('listProjectServers', { projectId }));
  const openAdd = (way: WayToAdd | undefined): void =>
    void navigate({ search: way === undefined ? {} : { add: way }, replace: add !== undefined });
  const tunnels = useQuery({ ...ask('listTunnels', { projectId }), refetchInterval: 10_000 });
  const items = servers.data?.items ?? [];
  const looks = useQueries({
    queries: items.map(({ id, enabled }, at) => ({
      ...healthOf(projectId, id),
      enabled: enabled && at < checkedOnOpen,
    })),
  });
  const rows = items.map((server, at): Row => {
    const look = looks[at];
    const tunnel = tunnels.data?.items.find(({ serverId }) => serverId === server.id);
    return { server, tunnel, health: look?.data, looking: look?.isFetching ?? false };
  });
  const again = (): void => {
    for (const { id, enabled } of items)
      if (enabled) void fetchQuery({ ...healthOf(projectId, id), staleTime: 0 });
  };
  return (
    <Page
      title="Servers"
      actions={
        <>
          <ApiExample operation="listProjectServers" input={{ projectId }} />
          <Link to="/projects/$projectId/conformance" params={{ projectId }} className={linkClass}>
            Conformance runs
          </Link>
          <Button onClick={again} disabled={items.length === 0} busy={rows.some(({ looking }) => looking)}>
            Check all
          </Button>
          <Button variant="primary" onClick={() => openAdd('url')}>
            Add server
          </Button>
        </>
      }
    >
      <QueryTable
        of={servers}
        lines={5}
        title="No servers yet"
        action={
          <div className={common.wideRow}>
            <Button variant="primary" onClick={() => openAdd('url')}>
              Add your first server
            </Button>
            <Button onClick={() => openAdd('paste')}>Paste configuration</Button>
          </div>
        }
        note={<Glance rows={rows} />}
        label="Servers"
        columns={columnsOf(projectId)}
        rows={rows}
        keyOf={({ server }) => server.id}
      >
        Add an MCP server to diagnose it, call its tools and run evals against it.
      </QueryTable>
      {add !== undefined && (
        <AddServer projectId={projectId} way={add} onWay={openAdd} onClose={() => openAdd(undefined)} />
      )}
    </Page>
  );
}

/** Summarizes the health of all servers. */
function Glance({ rows }: { rows: Row[] }) {
  const known = rows.flatMap(({ health }) => (health ? [health] : []));
  const well = known.filter(({ state }) => state === 'passed').length;
  const ill = known.length - well;
  const open = rows.filter(({ server, health }) => server.enabled && !health).length;
  const facts: [State, string][] = [
    ...(well > 0
      ? [
          [
            'passed',
            `${count(well)} of ${counted(rows.length, 'server')} ${well === 1 ? 'answers' : 'answer'}`,
          ] as [State, string],
        ]
      : []),
    ...(ill > 0 ? [['failed', `${counted(ill, 'needs', 'need')} attention`] as [State, string]] : []),
    ...(open > 0 ? [['pending', `${count(open)} not checked yet`] as [State, string]] : []),
  ];
  return (
    <p className={common.facts} aria-live="polite">
      {facts.map(([state, words]) => (
        <StateMark key={state} state={state}>
          {words}
        </StateMark>
      ))}
    </p>
  );
}

function columnsOf(projectId: string): Column<Row>[] {
  return [
    {
      name: 'Name',
      main: true,
      cell: ({ server }) => (
        <Link to="/projects/$projectId/servers/$serverId" params={{ projectId, serverId: server.id }}>
          {server.name}
        </Link>
      ),
    },
    { name: 'Health', cell: healthCell },
    { name: 'Server info', cell: ({ health }) => <span className={common.softText}>{health?.detail}</span> },
    {
      name: 'Connection',
      cell: ({ server, tunnel }) => {
        if (tunnel)
          return (
            <>
              a tunnel: <TunnelMark tunnel={tunnel} />
            </>
          );
        return server.url === null ? 'a command' : <code className={common.softText}>{server.url}</code>;
      },
    },
    { name: 'Checked', figure: true, cell: ({ health }) => health && <Time at={health.at} /> },
  ];
}

function healthCell({ server, health, looking }: Row) {
  if (!server.enabled) return <StateMark state="skipped">paused</StateMark>;
  if (looking && !health) return <StateMark state="running">checking</StateMark>;
  if (!health) return <StateMark state="notMeasured">not checked</StateMark>;
  return <StateMark state={health.state}>{health.word}</StateMark>;
}
