import { callables } from '../../../client/operations.ts';
import { Code } from '../kit/code.tsx';
import { Dialog } from '../kit/dialog.tsx';
import css from './api-example.module.css';
import { commandFacts } from './commands.ts';
import { asCommand, asCurl, asMcp } from './snippets.ts';

export function ApiExampleDialog({
  operation: id,
  input,
  onClose,
}: {
  operation: string;
  input: Record<string, unknown>;
  onClose: () => void;
}) {
  const operation = callables.find((one) => one.id === id);
  const facts = commandFacts[id];
  if (!operation || !facts) return null;
  const call = { operation, facts, input };
  return (
    <Dialog onClose={onClose} title="Use the API" wide>
      <div className={css.ways}>
        <h3>curl</h3>
        <Code text={asCurl(call, location.origin)} label="curl command" />
        <h3>Command line</h3>
        <Code text={asCommand(call)} label="drydock command" />
        <h3>MCP</h3>
        <p className={css.note}>
          Arguments of <code>tools/call</code> at <code>{location.origin}/mcp</code>.
        </p>
        <Code text={asMcp(call)} label="MCP call" />
        <p className={css.note}>
          All three need an API key. The operation is{' '}
          <a href={`/docs#${id}`} target="_blank" rel="noopener">
            {id}
          </a>
          .
        </p>
      </div>
    </Dialog>
  );
}
