import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import dialog from '../../kit/dialog.module.css';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Select, TextArea } from '../../kit/field.tsx';
import { Problem } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { useWaiversChanged } from './waivers.tsx';

const day = 86_400_000;
const terms = [
  [1, 'a day'],
  [7, 'a week'],
  [14, 'two weeks'],
  [30, '30 days'],
] as const;

/** Lets a failed run count as good enough for a while; its result stays as it is. */
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
  // A minute less: the service counts from when it hears of it.
  const expiresAt = opened + days * day - 60_000;
  const changed = useWaiversChanged();
  const input = { projectId, runId, body: { reason: reason.trim(), expiresAt } };
  const waiving = useMutation({
    mutationFn: () => api.createGateWaiver(input),
    onSuccess: async ({ status }) => {
      say(status === 'conflict' ? 'The run is waived already' : 'Run waived');
      onClose();
      await changed();
    },
  });
  return (
    <Dialog onClose={onClose} title="Waive this run">
      <form
        className={dialog.body}
        onSubmit={(event) => {
          event.preventDefault();
          waiving.mutate();
        }}
      >
        <p>
          Whoever asks, in CI too, is told that it is good enough until then. Its result stays failed, and its
          quality gate is not covered.
        </p>
        <Field label="Why" needed hint="Up to 500 characters; it is shown wherever the waiver is.">
          <TextArea
            rows={3}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        <Field
          label="For"
          hint={
            <>
              Until <Time at={expiresAt} />
            </>
          }
        >
          <Select
            value={String(days)}
            onChange={(event) => setDays(Number(event.target.value))}
            options={terms.map(([value, word]) => [String(value), word] as const)}
          />
        </Field>
        {waiving.isError && <Problem error={waiving.error} />}
        <footer className={dialog.foot}>
          <Same operation="createGateWaiver" input={input} />
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" busy={waiving.isPending} disabled={reason.trim() === ''}>
            Waive run
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
