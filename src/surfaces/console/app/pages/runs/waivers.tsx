import { useState } from 'react';
import { api, type Output, useAction } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';

const WaiveDialog = partFrom(() => import('./waive-dialog.tsx'), 'WaiveDialog');

export type Waiver = NonNullable<Output<'getGateWaiver'>['waiver']>;

export function WaiverState({ waiver }: { waiver: Waiver }) {
  if (waiver.active)
    return (
      <StateMark state="waived">
        waived until <Time at={waiver.expiresAt} />
      </StateMark>
    );
  return <StateMark state="cancelled">{waiver.revokedAt === null ? 'expired' : 'revoked'}</StateMark>;
}

/** Shown for a failed run without a waiver. */
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
  const input = { projectId, runId: waiver.runId, waiverId: waiver.id };
  const revoking = useAction(() => api.revokeGateWaiver(input), {
    says: 'Waiver revoked',
    onDone: () => setAsking(false),
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
          action={revoking}
        >
          <p>CI treats the run as failed again immediately. Reason for the waiver: {waiver.reason}</p>
          <div>
            <ApiExample operation="revokeGateWaiver" input={input} />
          </div>
        </Confirm>
      )}
    </>
  );
}
