import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Input, Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { downloadJson } from '../../kit/download.ts';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { Same } from '../../same/same.tsx';
import { useServerChanged } from './changed.ts';
import { EditServer } from './edit-server.tsx';
import css from './servers.module.css';
import { usesOf } from './uses.ts';
import type { Which } from './which.ts';

type Server = Output<'getProjectServer'>;

export function SettingsTab({ which }: { which: Which }) {
  const server = useQuery(ask('getProjectServer', which));
  if (!server.data) return <Skeleton lines={6} />;
  return (
    <>
      <EditServer key={server.data.updatedAt} which={which} server={server.data} />
      <Pausing which={which} server={server.data} />
      <Exporting which={which} />
      <Deleting which={which} server={server.data} />
    </>
  );
}

function Pausing({ which, server }: { which: Which; server: Server }) {
  const changed = useServerChanged();
  const body: Input<'updateProjectServer'>['body'] = { enabled: !server.enabled };
  const turning = useMutation({
    mutationFn: () => api.updateProjectServer({ ...which, body }),
    onSuccess: async ({ name, enabled }) => {
      say(enabled ? `${name} is in use again` : `${name} is paused`);
      await changed();
    },
    onError: complain,
  });
  return (
    <Section
      title={server.enabled ? 'Pause' : 'Paused'}
      actions={
        <>
          <Same operation="updateProjectServer" input={{ ...which, body }} />
          <Button busy={turning.isPending} onClick={() => turning.mutate()}>
            {server.enabled ? 'Pause server' : 'Resume server'}
          </Button>
        </>
      }
    >
      <Note>
        {server.enabled
          ? 'A paused server stays saved with everything stored for it, and is left out of runs.'
          : 'It is left out of runs until it is resumed.'}
      </Note>
    </Section>
  );
}

function Exporting({ which }: { which: Which }) {
  const exporting = useMutation({
    mutationFn: () => api.exportServer({ ...which, body: {} }),
    onSuccess: (document) => downloadJson(`${document.server?.name ?? which.serverId}.json`, document),
    onError: complain,
  });
  return (
    <Section
      title="Export"
      actions={
        <>
          <Same operation="exportServer" input={{ ...which, body: {} }} />
          <Button busy={exporting.isPending} onClick={() => exporting.mutate()}>
            Export server
          </Button>
        </>
      }
    >
      <Note>Everything that it lists now, in one document that can be kept and compared.</Note>
    </Section>
  );
}

function Deleting({ which, server }: { which: Which; server: Server }) {
  const [asking, setAsking] = useState(false);
  const uses = useQuery({ ...usesOf(which.projectId, server), enabled: asking });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => api.deleteProjectServer(which),
    onSuccess: async () => {
      say(`Server ${server.name} deleted`);
      await navigate({ to: '/projects/$projectId/servers', params: which });
      queryClient.removeQueries({ queryKey: ['getProjectServer', which] });
      for (const id of ['listProjectServers', 'listServerGroups', 'listClients'] as const)
        await queryClient.invalidateQueries(answersOf(id));
    },
    onError: complain,
  });
  return (
    <Section
      title="Delete"
      actions={
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete server
        </Button>
      }
    >
      <Note>With what is stored for it. What was recorded in runs stays.</Note>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Delete ${server.name}?`}
          verb="Delete server"
          busy={deleting.isPending}
          same={<Same operation="deleteProjectServer" input={which} />}
          onConfirm={() => deleting.mutate()}
          lost={
            <>
              <p>
                The saved address, {storedWords(server)} and its baseline are lost. Runs that were made with
                it keep what they recorded.
              </p>
              {uses.isPending && <p className={css.quiet}>Looking for what uses it…</p>}
              {uses.isError && <Problem error={uses.error} retry={() => void uses.refetch()} />}
              {uses.data && (
                <UsedBy
                  uses={uses.data.uses}
                  more={uses.data.more}
                  none="No suite, client, group or environment uses it."
                  lead="These use it, and will miss it:"
                />
              )}
            </>
          }
        />
      )}
    </Section>
  );
}

function storedWords({ headerNames, envNames, hasClientSecret }: Server): string {
  const stored = [...headerNames, ...envNames, ...(hasClientSecret ? ['the client secret'] : [])];
  return stored.length === 0 ? 'its tokens' : `the values of ${stored.join(', ')}, its tokens`;
}
