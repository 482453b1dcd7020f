import { Button } from '../../../kit/button.tsx';
import common from '../../../kit/common.module.css';
import { briefJson } from '../../../kit/json.ts';
import { Section } from '../../../kit/page.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { type Column, Table } from '../../../kit/table.tsx';
import { cut } from '../../../kit/text.ts';
import { duration, Time } from '../../../kit/time.tsx';
import css from '../servers.module.css';
import type { ToolCall } from './history.ts';

interface Doing {
  shown: number | undefined;
  onShow: (call: ToolCall) => void;
  onAgain: (call: ToolCall) => void;
}

export function CallsList({ calls, ...doing }: Doing & { calls: readonly ToolCall[] }) {
  return (
    <Section title="Calls in this tab">
      <Table
        label="Calls in this tab"
        columns={columnsOf(doing)}
        rows={calls}
        keyOf={({ id }) => String(id)}
      />
    </Section>
  );
}

function columnsOf({ shown, onShow, onAgain }: Doing): Column<ToolCall>[] {
  return [
    {
      name: 'Call',
      main: true,
      cell: (call) => (
        <span className={css.madeCall}>
          <code>{cut(call.toolName)}</code> <code className={common.soft}>{briefJson(call.parameters)}</code>
        </span>
      ),
    },
    { name: 'Outcome', cell: outcomeOf },
    {
      name: 'Duration',
      figure: true,
      cell: ({ result }) => (typeof result?.durationMs === 'number' ? duration(result.durationMs) : ''),
    },
    { name: 'Time', figure: true, cell: ({ at }) => <Time at={at} /> },
    {
      name: 'Actions',
      figure: true,
      cell: (call) => (
        <>
          <Button variant="quiet" aria-pressed={call.id === shown} onClick={() => onShow(call)}>
            Show
          </Button>
          <Button variant="quiet" onClick={() => onAgain(call)}>
            Call again
          </Button>
        </>
      ),
    },
  ];
}

function outcomeOf({ result, error }: ToolCall) {
  if (error !== undefined) return <StateMark state="attention">refused</StateMark>;
  if (!result) return <StateMark state="running">running</StateMark>;
  return result.isError ? (
    <StateMark state="failed">tool error</StateMark>
  ) : (
    <StateMark state="passed">answered</StateMark>
  );
}
