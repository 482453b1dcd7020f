import { useEffect, useRef } from 'react';
import { classes } from '../../kit/classes.ts';
import { Code } from '../../kit/code.tsx';
import { ToolIcon } from '../../kit/icons.tsx';
import { StateMark } from '../../kit/state.tsx';
import type { Message, Part } from './trace.ts';
import css from './trial.module.css';

const roles: Record<string, string> = { user: 'User', assistant: 'Model', tool: 'Tool', system: 'System' };

/** What was said, in order. The message that is meant is marked and brought into view. */
export function Conversation({ messages, meant }: { messages: Message[]; meant: number | undefined }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (meant !== undefined) list.current?.children[meant]?.scrollIntoView({ block: 'nearest' });
  }, [meant]);
  if (messages.length === 0) return <p className={css.soft}>Nothing was said.</p>;
  return (
    <ol ref={list} className={css.messages}>
      {messages.map(({ index, role, parts }) => (
        <li
          key={index}
          className={classes(css.message, css[role], index === meant && css.meant)}
          aria-current={index === meant || undefined}
        >
          <h3>{roles[role] ?? role}</h3>
          {parts.map((part, at) => (
            <MessagePart key={at} part={part} />
          ))}
        </li>
      ))}
    </ol>
  );
}

/** Longer results are folded: most are looked at only when something went wrong. */
const short = 600;

function MessagePart({ part }: { part: Part }) {
  const { kind, text, tool, failed } = part;
  if (kind === 'text') return <p className={css.said}>{text}</p>;
  const heading = (
    <span className={css.call}>
      <ToolIcon />
      {kind === 'call' ? 'calls' : kind === 'result' ? 'result of' : ''} <code>{tool}</code>
      {failed && <StateMark state="failed">error</StateMark>}
    </span>
  );
  const label = kind === 'call' ? `arguments of ${tool}` : `result of ${tool}`;
  if (text.length <= short)
    return (
      <div>
        {heading}
        <Code text={text} label={label} />
      </div>
    );
  return (
    <details className={css.folded}>
      <summary>
        {heading} <span className={css.soft}>{text.slice(0, 80).replaceAll(/\s+/g, ' ')}…</span>
      </summary>
      <Code text={text} label={label} />
    </details>
  );
}
