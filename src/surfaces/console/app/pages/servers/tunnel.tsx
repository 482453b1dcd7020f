import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Code } from '../../kit/code.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Section } from '../../kit/page.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import type { Which } from './which.ts';

export type Tunnel = Output<'listTunnels'>['items'][number];

const marks: Record<Tunnel['status'], [State, string]> = {
  connected: ['passed', 'connected'],
  waiting: ['attention', 'nobody holds it open'],
  closed: ['cancelled', 'closed'],
};

export function TunnelMark({ tunnel: { status } }: { tunnel: Tunnel }) {
  const [state, word] = marks[status];
  return <StateMark state={state}>{word}</StateMark>;
}

/** Of a server that is reached through one: whether somebody holds it open, and how to. */
export function TunnelSection({ which }: { which: Which }) {
  const { projectId, serverId } = which;
  const tunnels = useQuery({ ...ask('listTunnels', { projectId }), refetchInterval: 5_000 });
  const [closing, setClosing] = useState(false);
  const tunnel = tunnels.data?.items.find((one) => one.serverId === serverId);
  if (!tunnel) return null;
  const { status, connectedAt, disconnectedAt, protocol, name } = tunnel;
  return (
    <Section
      title="Tunnel"
      actions={
        <>
          <Same operation="listTunnels" input={{ projectId }} />
          {status !== 'closed' && <Button onClick={() => setClosing(true)}>Close tunnel</Button>}
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
          <p>Run this on the machine of the server, with the port it listens on:</p>
          <Code text={`drydock tunnel --port 3000 --name ${JSON.stringify(name)}`} label="command" />
        </>
      )}
      {closing && <CloseTunnel which={which} name={name} onClose={() => setClosing(false)} />}
    </Section>
  );
}

function CloseTunnel({ which, name, onClose }: { which: Which; name: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const closing = useMutation({
    mutationFn: () => api.closeTunnel(which),
    onSuccess: async () => {
      say('Tunnel closed');
      onClose();
      await queryClient.invalidateQueries(answersOf('listTunnels'));
    },
    onError: complain,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Close the tunnel to ${name}?`}
      verb="Close tunnel"
      busy={closing.isPending}
      same={<Same operation="closeTunnel" input={which} />}
      onConfirm={() => closing.mutate()}
      lost={
        <p>Its address is dead from then on. Opening it again makes another one. The saved server stays.</p>
      }
    />
  );
}
