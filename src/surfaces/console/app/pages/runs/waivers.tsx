import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { partFrom } from '../../api/parts.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';

const WaiveDialog = partFrom(() => import('./waive-dialog.tsx'), 'WaiveDialog');

export type Waiver = NonNullable<Output<'getGateWaiver'>['waiver']>;

/** Whatever shows waivers reads them again. */
export function useWaiversChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries(answersOf('getEvalRun'));
    await queryClient.invalidateQueries(answersOf('getGateWaiver'));
  };
}

export function WaiverState({ waiver }: { waiver: Waiver }) {
  if (waiver.active)
    return (
      <StateMark state="waived">
        waived until <Time at={waiver.expiresAt} />
      </StateMark>
    );
  return <StateMark state="cancelled">{waiver.revokedAt === null ? 'expired' : 'revoked'}</StateMark>;
}

/** For a run that failed and is not waived. */
export function WaiveRun({ projectId, runId }: { projectId: string; runId: string }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Waive</Button>
      {asking && <WaiveDialog projectId={projectId} runId={runId} onClose={() => setAsking(false)} />}
    </>
  );
}

export function RevokeWaiver({ projectId, waiver }: { projectId: string; waiver: Waiver }) {
  const [asking, setAsking] = useState(false);
  const changed = useWaiversChanged();
  const input = { projectId, runId: waiver.runId, waiverId: waiver.id };
  const revoking = useMutation({
    mutationFn: () => api.revokeGateWaiver(input),
    onSuccess: async () => {
      setAsking(false);
      say('Waiver revoked');
      await changed();
    },
    onError: complain,
  });
  return (
    <>
      <Button look="quiet" onClick={() => setAsking(true)}>
        Revoke
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title="Revoke this waiver?"
          verb="Revoke waiver"
          busy={revoking.isPending}
          onConfirm={() => revoking.mutate()}
          lost={
            <>
              <p>
                The run counts as failed again at once, also for whoever asks in CI. The reason given was:{' '}
                {waiver.reason}
              </p>
              <div>
                <Same operation="revokeGateWaiver" input={input} />
              </div>
            </>
          }
        />
      )}
    </>
  );
}
