import { useState } from 'react';
import type { Input, OperationId } from '../../../client/index.ts';
import { partFrom } from '../api/parts.ts';
import { Button } from '../kit/button.tsx';
import { CodeIcon } from '../kit/icons.tsx';

const ApiExampleDialog = partFrom(() => import('./api-example-dialog.tsx'), 'ApiExampleDialog');

/** Shows this operation as curl, drydock command and MCP call. */
export function ApiExample<Id extends OperationId>({
  operation,
  input,
}: {
  operation: Id;
  input: Input<Id>;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="quiet"
        onClick={() => setOpen(true)}
        title="Show this as a curl command, a drydock command and an MCP call"
      >
        <CodeIcon />
        API
      </Button>
      {open && <ApiExampleDialog operation={operation} input={input} onClose={() => setOpen(false)} />}
    </>
  );
}
