import { useState } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { AreaField, SelectField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Time } from '../../kit/time.tsx';

const dayMs = 86_400_000;
const terms = [
  [1, 'a day'],
  [7, 'a week'],
  [14, 'two weeks'],
  [30, '30 days'],
] as const;

/** Waives a failed run for a limited time; its result does not change. */
export function WaiveDialog({
  projectId,
  runId,
  onClose,
}: {
  projectId: string;
  runId: string;
  onClose: () => void;
}) {
  const [opened] = useState(() => Date.now());
  const [reason, setReason] = useState('');
  const [days, setDays] = useState<number>(7);
  // A minute less, because the service counts from when it receives the request.
  const expiresAt = opened + days * dayMs - 60_000;
  const input = { projectId, runId, body: { reason: reason.trim(), expiresAt } };
  const waiving = useSubmit(() => api.createGateWaiver(input), {
    says: ({ status }) => (status === 'conflict' ? 'The run is already waived' : 'Run waived'),
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Waive this run"
      verb="Waive run"
      action={waiving}
      blocked={reason.trim() === ''}
      onClose={onClose}
      example={<ApiExample operation="createGateWaiver" input={input} />}
    >
      <p>
        Until it expires, CI treats this run as passing. Its result stays failed, and its quality gate is not
        waived.
      </p>
      <AreaField
        label="Reason"
        required
        hint="Up to 500 characters; shown with the waiver."
        rows={3}
        maxLength={500}
        value={reason}
        onChange={setReason}
      />
      <SelectField
        label="Duration"
        hint={
          <>
            Until <Time at={expiresAt} />
          </>
        }
        value={String(days)}
        options={terms.map(([value, word]) => [String(value), word] as const)}
        onChange={(value) => setDays(Number(value))}
      />
    </FormDialog>
  );
}
