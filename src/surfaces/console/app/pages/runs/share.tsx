import { partFrom } from '../../api/parts.ts';
import { DialogButton } from '../../kit/dialog-button.tsx';
import type { SharedKind } from './share-dialog.tsx';

const ShareDialog = partFrom(() => import('./share-dialog.tsx'), 'ShareDialog');

/** Shares a run, by default an eval run, with people without an account. */
export function ShareRun({
  projectId,
  runId,
  kind = 'evalRun',
}: {
  projectId: string;
  runId: string;
  kind?: SharedKind;
}) {
  return (
    <DialogButton
      renderDialog={(close) => (
        <ShareDialog projectId={projectId} runId={runId} kind={kind} onClose={close} />
      )}
    >
      Share
    </DialogButton>
  );
}
