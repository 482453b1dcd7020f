import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Code } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { Fold } from '../../kit/fold.tsx';
import { ToolIcon } from '../../kit/icons.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { count } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import type { Message, Part } from './trace.ts';
import css from './trial.module.css';

const roles = new Map([
  ['user', 'User'],
  ['assistant', 'Model'],
  ['tool', 'Tool'],
  ['system', 'System'],
]);

/** Messages per page. */
const pageLength = 100;

/** Highlights the selected message and scrolls it into view. */
export function Conversation({
  messages,
  meant,
  after,
}: {
  messages: Message[];
  meant: number | undefined;
  /** Content to show below a result, by call ID. */
  after?: ReadonlyMap<string, ReactNode>;
}) {
  const list = useRef<HTMLOListElement>(null);
  const [turned, setTurned] = useState({ page: 0, meant });
  // Paging stops following the selection.
  const page = meant === undefined || turned.meant === meant ? turned.page : Math.floor(meant / pageLength);
  const first = page * pageLength;
  useEffect(() => {
    if (meant !== undefined) list.current?.children[meant - first]?.scrollIntoView({ block: 'nearest' });
  }, [meant, first]);
  if (messages.length === 0) return <p className={common.soft}>No messages.</p>;
  const turn = (by: number): void => setTurned({ page: page + by, meant });
  return (
    <>
      <ol ref={list} className={common.column}>
        {messages.slice(first, first + pageLength).map(({ index, role, parts }) => (
          <li
            key={index}
            className={classes(css.message, roles.has(role) && css[role], index === meant && common.selected)}
            aria-current={index === meant || undefined}
          >
            <h3 dir="auto">{roles.get(role) ?? role}</h3>
            {parts.map((part, at) => (
              <Fragment key={at}>
                <MessagePart part={part} />
                {part.kind === 'result' && after?.get(part.toolCallId ?? '')}
              </Fragment>
            ))}
          </li>
        ))}
      </ol>
      {messages.length > pageLength && (
        <p className={common.soft}>
          Messages {count(first + 1)} to {count(Math.min(messages.length, first + pageLength))} of{' '}
          {count(messages.length)}{' '}
          <Button variant="quiet" disabled={page === 0} onClick={() => turn(-1)}>
            Earlier
          </Button>
          <Button variant="quiet" disabled={first + pageLength >= messages.length} onClick={() => turn(1)}>
            Later
          </Button>
        </p>
      )}
    </>
  );
}

/** Characters. Longer arguments and results are collapsed: they rarely matter unless something failed. */
const maxUncollapsed = 600;

function MessagePart({ part }: { part: Part }) {
  const { kind, text, tool, failed } = part;
  if (kind === 'text') return <LongText className={common.words} text={text} />;
  const heading = (
    <span className={css.call}>
      <ToolIcon />
      {kind === 'call' ? 'calls' : kind === 'result' ? 'result of' : ''} <code>{tool}</code>
      {failed && <StateMark state="failed">error</StateMark>}
    </span>
  );
  const label = kind === 'call' ? `arguments of ${tool}` : `result of ${tool}`;
  if (text.length <= maxUncollapsed)
    return (
      <div>
        {heading}
        <Code text={text} label={label} />
      </div>
    );
  return (
    <Fold
      className={css.folded}
      summary={
        <>
          {heading} <span className={common.soft}>{text.slice(0, 80).replaceAll(/\s+/g, ' ')}…</span>
        </>
      }
    >
      {() => <Code text={text} label={label} />}
    </Fold>
  );
}
