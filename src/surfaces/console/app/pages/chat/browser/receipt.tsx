import type { Output } from '../../../../../client/index.ts';
import { Code, Json } from '../../../kit/code.tsx';
import { asSchema } from '../../../kit/form/schema.ts';
import { StateMark } from '../../../kit/state.tsx';
import { textOf } from '../../../kit/text.ts';
import css from './browser.module.css';

/** What became of the last command: whether it was done, and what it saw other than a picture. */
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
            {result === 'refused' ? 'not done' : 'not known whether it was done; look before you repeat it'}
          </StateMark>
          <bdi>{reason}</bdi>
        </p>
      )}
      {dialog && (
        <p className={css.facts}>
          <StateMark state="attention">The page waits for a dialog:</StateMark>
          <bdi>{textOf(dialog['message'])}</bdi>
        </p>
      )}
      {typeof text === 'string' && <Code text={text} label="what it saw" />}
      {seen && typeof text !== 'string' && seen['mode'] !== 'screenshot' && (
        <Json value={seen} label="what it saw" />
      )}
      {receipt['output'] !== undefined && <Json value={receipt['output']} label="what the tool answered" />}
    </>
  );
}
