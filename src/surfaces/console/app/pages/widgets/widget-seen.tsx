import { type ReactNode, useMemo } from 'react';
import { Code } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { CopyButton } from '../../kit/copy.tsx';
import { Fold } from '../../kit/fold.tsx';
import { LimitedList } from '../../kit/limited-list.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { counted } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';
import { duration } from '../../kit/time.tsx';
import { seenOf } from './seen.ts';
import css from './widgets.module.css';

/** Rendering result of a widget: outcome, activity and content. */
export function WidgetSeen({
  given,
  name,
  actions,
  children,
}: {
  /** From a response or a trace. */
  given: unknown;
  name: string;
  actions?: ReactNode;
  /** Screenshot of the widget. */
  children?: ReactNode;
}) {
  const seen = useMemo(() => seenOf(given), [given]);
  const { renderMs, totalMs, tree, targets } = seen;
  return (
    <div className={css.seen} role="group" aria-label={name}>
      <div className={css.head}>
        <strong>{name}</strong>
        <StateMark state={seen.state}>{seen.word}</StateMark>
        <span className={common.soft}>
          {renderMs !== undefined && `rendered after ${duration(renderMs)}`}
          {renderMs !== undefined && totalMs !== undefined && ', '}
          {totalMs !== undefined && `${duration(totalMs)} total`}
        </span>
        {seen.resourceUri && <code className={common.softText}>{cut(seen.resourceUri)}</code>}
        {actions}
      </div>
      {seen.problem && <LongText className={common.breakable} text={seen.problem} />}
      {children}
      <Listed title="Console errors" lines={seen.consoleErrors} />
      <Listed title="Blocked requests" lines={seen.blocked} />
      {seen.calls.length > 0 && (
        <div>
          <h3>Tool calls</h3>
          <ul className={css.lines}>
            <LimitedList items={seen.calls} noun="call" rest="li">
              {({ tool, given, error }, at) => (
                <li key={at}>
                  <StateMark state={error === undefined ? 'passed' : 'failed'}>
                    {error === undefined ? 'answered' : 'refused'}
                  </StateMark>{' '}
                  <code>{tool}</code> <code className={common.soft}>{given}</code>{' '}
                  {error !== undefined && <span>{cut(error, 1_000)}</span>}
                </li>
              )}
            </LimitedList>
          </ul>
        </div>
      )}
      <Listed title="Other host requests" lines={seen.requests} />
      {targets.length > 0 && (
        <Fold className={css.fold} summary={`${counted(targets.length, 'element')}, step selectors`}>
          {() => (
            <ul className={css.lines}>
              <LimitedList items={targets} noun="element" rest="li">
                {(target, at) => (
                  <li key={at} className={css.target}>
                    <code>{cut(target, 1_000)}</code>
                    <CopyButton text={target} label={`Copy ${cut(target)}`} />
                  </li>
                )}
              </LimitedList>
            </ul>
          )}
        </Fold>
      )}
      {tree !== undefined && (
        <Fold className={css.fold} summary="Accessibility tree">
          {() => (
            <>
              <Code text={tree} label={`accessibility tree of ${name}`} wrap={false} />
              {seen.note && <p className={common.soft}>{seen.note}.</p>}
            </>
          )}
        </Fold>
      )}
    </div>
  );
}

function Listed({ title, lines }: { title: string; lines: string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className={css.lines}>
        <LimitedList items={lines} noun="line" rest="li">
          {(line, at) => (
            <li key={at}>
              <code>{cut(line, 1_000)}</code>
            </li>
          )}
        </LimitedList>
      </ul>
    </div>
  );
}
