import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { Code } from '../../kit/code.tsx';
import { Id } from '../../kit/copy.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';

type Plugin = Output<'listProjectPlugins'>['items'][number];

/** Plugins are installed with the command line; here they are read. */
export function PluginsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/plugins' });
  const { version } = useSearch({ from: '/projects/$projectId/plugins' });
  const plugins = useQuery(ask('listProjectPlugins', { projectId }));
  const items = plugins.data?.items ?? [];
  return (
    <Page
      title="Plugins"
      name="Plugins"
      actions={<Same operation="listProjectPlugins" input={{ projectId }} />}
    >
      {plugins.isPending && <Skeleton lines={5} />}
      {plugins.isError && <Problem error={plugins.error} retry={() => void plugins.refetch()} />}
      {plugins.isSuccess && items.length === 0 && (
        <Empty
          title="No plugin yet"
          action={
            <Code
              text={`drydock plugins install BUNDLE --project ${projectId}`}
              label="command that installs a plugin"
            />
          }
        >
          Bundles of servers and skills. The one who runs this installation installs them on its machine.
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <Note>
            Installed, disabled and removed with <code>drydock plugins</code> on the machine of this service.
          </Note>
          <Table label="Plugins" columns={columnsOf(projectId)} rows={items} keyOf={({ id }) => id} />
        </>
      )}
      {version !== undefined && <Version projectId={projectId} pluginVersionId={version} />}
    </Page>
  );
}

function Version({ projectId, pluginVersionId }: { projectId: string; pluginVersionId: string }) {
  const version = useQuery(ask('getPluginVersion', { pluginVersionId }));
  return (
    <Section
      title={`Version ${version.data?.declaredVersion ?? ''}`}
      actions={<Same operation="getPluginVersion" input={{ pluginVersionId }} />}
    >
      {version.isPending && <Skeleton lines={4} />}
      {version.isError && <Problem error={version.error} retry={() => void version.refetch()} />}
      {version.data && (
        <Facts
          facts={[
            ['Id', <Id key="id" value={version.data.id} />],
            ['State', version.data.status],
            [
              'Servers',
              version.data.servers.map(({ componentId, declaredName, materializedServerId: serverId }) => (
                <span key={componentId}>
                  <Link to="/projects/$projectId/servers/$serverId" params={{ projectId, serverId }}>
                    {declaredName}
                  </Link>{' '}
                </span>
              )),
            ],
            ['Skills', version.data.skills.map(({ declaredName }) => declaredName).join(', ')],
            ['Not understood', version.data.componentCounts.unsupported || undefined],
            ['Installed', <Time key="made" at={version.data.createdAt} />],
          ]}
        />
      )}
    </Section>
  );
}

function columnsOf(projectId: string): Column<Plugin>[] {
  return [
    {
      name: 'Name',
      main: true,
      cell: ({ name, displayName, activeVersionId }) =>
        activeVersionId === undefined ? (
          (displayName ?? name)
        ) : (
          <Link
            to="/projects/$projectId/plugins"
            params={{ projectId }}
            search={{ version: activeVersionId }}
          >
            {displayName ?? name}
          </Link>
        ),
    },
    { name: 'About', cell: ({ description }) => description },
    {
      name: 'State',
      cell: ({ enabled }) =>
        enabled ? (
          <StateMark state="passed">in use</StateMark>
        ) : (
          <StateMark state="skipped">disabled</StateMark>
        ),
    },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
