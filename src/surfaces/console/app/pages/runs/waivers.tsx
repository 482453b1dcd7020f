import { api, type Output } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
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
  return (
    <DialogButton
      renderDialog={(close) => <WaiveDialog projectId={projectId} runId={runId} onClose={close} />}
    >
      Waive
    </DialogButton>
  );
}

export function RevokeWaiver({ projectId, waiver }: { projectId: string; waiver: Waiver }) {
  const input = { projectId, runId: waiver.runId, waiverId: waiver.id };
  return (
    <ConfirmButton
      variant="quiet"
      label="Revoke"
      question="Revoke this waiver?"
      verb="Revoke waiver"
      write={() => api.revokeGateWaiver(input)}
      says="Waiver revoked"
      example={<ApiExample operation="revokeGateWaiver" input={input} />}
    >
      <p>CI treats the run as failed again immediately. Reason for the waiver: {waiver.reason}</p>
    </ConfirmButton>
  );
}
