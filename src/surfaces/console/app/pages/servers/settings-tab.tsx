import { useNavigate } from '@tanstack/react-router';
import { api, ask, type Input, type Output, useAction, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { downloadJson } from '../../kit/download.ts';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import type { ServerRef } from './address.ts';
import { EditServer } from './edit-server.tsx';
import { ServerUses } from './server-uses.tsx';

type Server = Output<'getProjectServer'>;

export function SettingsTab({ which }: { which: ServerRef }) {
  const server = useQuery(ask('getProjectServer', which));
  if (!server.data) return <QueryState of={server} lines={6} />;
  return (
    <>
      <EditServer key={server.data.updatedAt} which={which} server={server.data} />
      <Pausing which={which} server={server.data} />
      <Exporting which={which} />
      <Deleting which={which} server={server.data} />
    </>
  );
}

function Pausing({ which, server }: { which: ServerRef; server: Server }) {
  const body: Input<'updateProjectServer'>['body'] = { enabled: !server.enabled };
  const turning = useAction(() => api.updateProjectServer({ ...which, body }), {
    says: ({ name, enabled }) => (enabled ? `${name} resumed` : `${name} paused`),
  });
  return (
    <Section
      title={server.enabled ? 'Pause' : 'Paused'}
      actions={
        <>
          <ApiExample operation="updateProjectServer" input={{ ...which, body }} />
          <Button action={turning}>{server.enabled ? 'Pause server' : 'Resume server'}</Button>
        </>
      }
    >
      <Note>
        {server.enabled
          ? 'A paused server keeps its stored values and is excluded from runs.'
          : 'The server is excluded from runs until it is resumed.'}
      </Note>
    </Section>
  );
}

function Exporting({ which }: { which: ServerRef }) {
  const exporting = useAction(() => api.exportServer({ ...which, body: {} }), {
    onDone: (document) => downloadJson(`${document.server?.name ?? which.serverId}.json`, document),
  });
  return (
    <Section
      title="Export"
      actions={
        <>
          <ApiExample operation="exportServer" input={{ ...which, body: {} }} />
          <Button action={exporting}>Export server</Button>
        </>
      }
    >
      <Note>Everything the server currently lists, as one document to keep and compare.</Note>
    </Section>
  );
}

function Deleting({ which, server }: { which: ServerRef; server: Server }) {
  const navigate = useNavigate();
  return (
    <Section
      title="Delete"
      actions={
        <ConfirmButton
          variant="danger"
          label="Delete server"
          question={`Delete ${server.name}?`}
          write={() => api.deleteProjectServer(which)}
          says={`Server ${server.name} deleted`}
          onDone={() => navigate({ to: '/projects/$projectId/servers', params: which })}
          example={<ApiExample operation="deleteProjectServer" input={which} />}
        >
          <p>
            The server's connection settings, {storedText(server)} and its baseline are deleted. Past runs
            keep what they recorded.
          </p>
          <ServerUses projectId={which.projectId} server={server} />
        </ConfirmButton>
      }
    >
      <Note>Deletes the server and its stored values. Recorded runs are kept.</Note>
    </Section>
  );
}

function storedText({ headerNames, envNames, hasClientSecret }: Server): string {
  const stored = [...headerNames, ...envNames, ...(hasClientSecret ? ['the client secret'] : [])];
  return stored.length === 0 ? 'its tokens' : `the values of ${stored.join(', ')}, its tokens`;
}
