import { useState } from 'react';
import { partFrom } from '../../api/parts.ts';
import { Button } from '../../kit/button.tsx';
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
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Share</Button>
      {open && <ShareDialog projectId={projectId} runId={runId} kind={kind} onClose={() => setOpen(false)} />}
    </>
  );
}
