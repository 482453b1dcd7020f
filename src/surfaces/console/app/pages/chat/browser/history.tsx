import { useState } from 'react';
import { api, useInfiniteQuery, useSubmit } from '../../../api/index.ts';
import { Button } from '../../../kit/button.tsx';
import common from '../../../kit/common.module.css';
import { submits, TextInput } from '../../../kit/field.tsx';
import { Fold } from '../../../kit/fold.tsx';
import { asSchema } from '../../../kit/form/schema.ts';
import { SubmitError } from '../../../kit/form-dialog.tsx';
import { briefJson } from '../../../kit/json.ts';
import { newKey } from '../../../kit/new-key.ts';
import { Problem } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { StateMark } from '../../../kit/state.tsx';
import { cut, textOf } from '../../../kit/text.ts';
import { Time } from '../../../kit/time.tsx';
import { useEveryPage } from '../use-every-page.ts';
import css from './browser.module.css';
import { Picture } from './picture.tsx';
import type { Entry } from './types.ts';

const atOnce = 100;
/** Poll interval in milliseconds while a model may use the browser. */
const pollEvery = 2_000;
/** Only the latest entries are shown; there may be thousands. */
const maxShown = 100;

export interface Entries {
  list: Entry[];
  error: Error | null;
  retry: () => void;
}

export function useEntries(sessionId: string, busy: boolean): Entries {
  const read = useEveryPage(
    useInfiniteQuery({
      queryKey: ['chatSessionBrowserTrace', 'pages', { sessionId }],
      queryFn: ({ signal, pageParam: afterSeq }) =>
        api.chatSessionBrowserTrace({ sessionId, body: { afterSeq, limit: atOnce } }, { signal }),
      initialPageParam: 0,
      getNextPageParam: ({ entries }) => (entries.length < atOnce ? undefined : entries.at(-1)?.seq),
      refetchInterval: busy ? pollEvery : false,
    }),
  );
  return {
    list: read.data?.pages.flatMap((page) => page.entries) ?? [],
    error: read.error,
    retry: () => void read.refetch(),
  };
}

export function History({
  sessionId,
  entries: { list, error, retry },
}: {
  sessionId: string;
  entries: Entries;
}) {
  return (
    <Fold summary={`Activity (${counted(list.length, 'entry', 'entries')})`}>
      {() => (
        <>
          <NoteField sessionId={sessionId} />
          {error && <Problem error={error} retry={retry} />}
          <ol className={css.entries} aria-label="Browser activity">
            {list
              .slice(-maxShown)
              .toReversed()
              .map((entry) => (
                <EntryLine key={entry.seq} sessionId={sessionId} entry={entry} />
              ))}
          </ol>
        </>
      )}
    </Fold>
  );
}

function EntryLine({ sessionId, entry }: { sessionId: string; entry: Entry }) {
  const { at, commandId } = entry;
  const result = entry['result'];
  return (
    <li>
      <Time at={at} />
      <div>
        <bdi className={css.what}>{whatOf(entry)}</bdi>
        {entry['turnId'] !== undefined && <span className={common.soft}> by the model</span>}
        {result === 'refused' && <StateMark state="failed">refused</StateMark>}
        {result === 'unknown' && <StateMark state="inconclusive">outcome unknown</StateMark>}
        {entry['reason'] !== undefined && <p className={common.soft}>{cut(textOf(entry['reason']), 300)}</p>}
        {entry['artifactId'] !== undefined && commandId !== undefined && (
          <Fold summary="Screenshot">{() => <Picture sessionId={sessionId} commandId={commandId} />}</Fold>
        )}
      </div>
    </li>
  );
}

function whatOf(entry: Entry): string {
  if (entry.kind === 'note') return `Note: ${cut(textOf(entry['text']), 500)}`;
  if (entry.kind === 'event') return `The browser was ${cut(textOf(entry['event']), 60)}`;
  const { op, verb, mode, url, target } = asSchema(entry['command']) ?? {};
  const words = [op, verb, mode, url].map((one) => cut(textOf(one)));
  return [...words, target === undefined ? '' : briefJson(target, 160)].filter(Boolean).join(' ');
}

function NoteField({ sessionId }: { sessionId: string }) {
  const [text, setText] = useState('');
  const noting = useSubmit(
    () => api.chatSessionBrowserNote({ sessionId, body: { text, commandId: newKey() } }),
    {
      onDone: () => setText(''),
    },
  );
  return (
    <form className={css.bar} onSubmit={submits(() => noting.mutate())}>
      <TextInput
        aria-label="Note"
        placeholder="Note for readers"
        maxLength={4096}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" busy={noting.isPending} disabled={text.trim() === ''}>
        Add note
      </Button>
      <SubmitError of={noting} />
    </form>
  );
}
