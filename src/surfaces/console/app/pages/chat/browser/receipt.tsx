import type { Output } from '../../../api/index.ts';
import { Code, Json } from '../../../kit/code.tsx';
import { asSchema } from '../../../kit/form/schema.ts';
import { StateMark } from '../../../kit/state.tsx';
import { textOf } from '../../../kit/text.ts';
import css from './browser.module.css';

/** Outcome of the last command, and its observation unless that is a screenshot. */
export function Receipt({ receipt }: { receipt: Output<'chatSessionBrowserCommand'> }) {
  const { result, reason } = receipt;
  const seen = asSchema(receipt['observation']);
  const text = seen?.['text'];
  const dialog = asSchema(receipt['dialog']);
  return (
    <>
      {result !== 'executed' && (
        <p className={css.facts}>
          <StateMark state={result === 'refused' ? 'failed' : 'inconclusive'}>
            {result === 'refused' ? 'refused' : 'outcome unknown; check before you repeat it'}
          </StateMark>
          <bdi>{reason}</bdi>
        </p>
      )}
      {dialog && (
        <p className={css.facts}>
          <StateMark state="attention">The page shows a dialog:</StateMark>
          <bdi>{textOf(dialog['message'])}</bdi>
        </p>
      )}
      {typeof text === 'string' && <Code text={text} label="observation" />}
      {seen && typeof text !== 'string' && seen['mode'] !== 'screenshot' && (
        <Json value={seen} label="observation" />
      )}
      {receipt['output'] !== undefined && <Json value={receipt['output']} label="tool result" />}
    </>
  );
}
