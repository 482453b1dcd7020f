import { useState } from 'react';
import { partFrom } from '../../api/parts.ts';
import { Button } from '../../kit/button.tsx';

const ShareDialog = partFrom(() => import('./share-dialog.tsx'), 'ShareDialog');

/** Shows a run to people without an account. */
export function ShareRun({ projectId, runId }: { projectId: string; runId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Share</Button>
      {open && <ShareDialog projectId={projectId} runId={runId} onClose={() => setOpen(false)} />}
    </>
  );
}
