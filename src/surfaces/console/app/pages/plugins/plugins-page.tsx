import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Code } from '../../kit/code.tsx';
import { Id } from '../../kit/copy.tsx';
import { Note } from '../../kit/notice.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';

type Plugin = Output<'listProjectPlugins'>['items'][number];

/** Plugins are read-only here; they are installed with the command line. */
export function PluginsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/plugins' });
  const { version } = useSearch({ from: '/projects/$projectId/plugins' });
  const plugins = useQuery(ask('listProjectPlugins', { projectId }));
  return (
    <Page title="Plugins" actions={<ApiExample operation="listProjectPlugins" input={{ projectId }} />}>
      <QueryTable
        of={plugins}
        lines={5}
        title="No plugins yet"
        action={
          <Code
            text={`drydock plugins install BUNDLE --project ${projectId}`}
            label="command that installs a plugin"
          />
        }
        note={
          <Note>
            Read-only here. Install, disable and remove plugins with <code>drydock plugins</code> on the
            machine that runs Drydock.
          </Note>
        }
        label="Plugins"
        columns={columnsOf(projectId)}
      >
        Plugins bundle servers and skills. The operator installs them with this command, on the machine that
        runs Drydock.
      </QueryTable>
      {version !== undefined && <Version projectId={projectId} pluginVersionId={version} />}
    </Page>
  );
}

function Version({ projectId, pluginVersionId }: { projectId: string; pluginVersionId: string }) {
  const version = useQuery(ask('getPluginVersion', { pluginVersionId }));
  return (
    <Section
      title={`Version ${version.data?.declaredVersion ?? ''}`}
      actions={<ApiExample operation="getPluginVersion" input={{ pluginVersionId }} />}
    >
      <QueryState of={version} lines={4} />
      {version.data && (
        <Facts
          facts={[
            ['ID', <Id key="id" value={version.data.id} />],
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
            ['Unsupported', version.data.componentCounts.unsupported || undefined],
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
    { name: 'Description', cell: ({ description }) => description },
    {
      name: 'State',
      cell: ({ enabled }) =>
        enabled ? (
          <StateMark state="passed">enabled</StateMark>
        ) : (
          <StateMark state="skipped">disabled</StateMark>
        ),
    },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
