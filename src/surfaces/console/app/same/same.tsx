import { useState } from 'react';
import type { Input, OperationId } from '../../../client/index.ts';
import { partFrom } from '../api/parts.ts';
import { Button } from '../kit/button.tsx';
import { CodeIcon } from '../kit/icons.tsx';

const SameDialog = partFrom(() => import('./same-dialog.tsx'), 'SameDialog');

/** What this part of the page shows or does, as a call of the API, a command and a call over MCP. */
export function Same<Id extends OperationId>({ operation, input }: { operation: Id; input: Input<Id> }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)} title="The same with curl, drydock and MCP">
        <CodeIcon />
        API
      </Button>
      {open && <SameDialog operation={operation} input={input} onClose={() => setOpen(false)} />}
    </>
  );
}
