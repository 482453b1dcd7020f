import { api, ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Code } from '../../kit/code.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { Section } from '../../kit/page.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import type { ServerRef } from './address.ts';

export type Tunnel = Output<'listTunnels'>['items'][number];

const marks: Record<Tunnel['status'], [State, string]> = {
  connected: ['passed', 'connected'],
  waiting: ['attention', 'not connected'],
  closed: ['cancelled', 'closed'],
};

export function TunnelMark({ tunnel: { status } }: { tunnel: Tunnel }) {
  const [state, word] = marks[status];
  return <StateMark state={state}>{word}</StateMark>;
}

/** For a server reached through a tunnel: its status and the command that opens it. */
export function TunnelSection({ which }: { which: ServerRef }) {
  const { projectId, serverId } = which;
  const tunnels = useQuery({ ...ask('listTunnels', { projectId }), refetchInterval: 5_000 });
  const tunnel = tunnels.data?.items.find((one) => one.serverId === serverId);
  if (!tunnel) return null;
  const { status, connectedAt, disconnectedAt, protocol, name } = tunnel;
  return (
    <Section
      title="Tunnel"
      actions={
        <>
          <ApiExample operation="listTunnels" input={{ projectId }} />
          {status !== 'closed' && <CloseTunnel which={which} name={name} />}
        </>
      }
    >
      <p>
        <TunnelMark tunnel={tunnel} />{' '}
        {status === 'connected' && connectedAt !== undefined && (
          <>
            since <Time at={connectedAt} />
            {protocol !== undefined && (
              <>
                , by <code>{protocol}</code>
              </>
            )}
          </>
        )}
        {status !== 'connected' && disconnectedAt !== undefined && (
          <>
            since <Time at={disconnectedAt} />
          </>
        )}
      </p>
      {status !== 'connected' && (
        <>
          <p>Run this on the server's machine, with the port it listens on:</p>
          <Code text={`drydock tunnel --port 3000 --name ${JSON.stringify(name)}`} label="command" />
        </>
      )}
    </Section>
  );
}

function CloseTunnel({ which, name }: { which: ServerRef; name: string }) {
  return (
    <ConfirmButton
      label="Close tunnel"
      question={`Close the tunnel to ${name}?`}
      write={() => api.closeTunnel(which)}
      says="Tunnel closed"
      example={<ApiExample operation="closeTunnel" input={which} />}
    >
      <p>
        The URL of the tunnel stops working. Opening the tunnel again creates a new URL. The saved server
        stays.
      </p>
    </ConfirmButton>
  );
}
