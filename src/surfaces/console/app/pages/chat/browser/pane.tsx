import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../../client/index.ts';
import { answersOf } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../kit/button.tsx';
import { Field, Select, TextArea } from '../../../kit/field.tsx';
import form from '../../../kit/form.module.css';
import { Note, Problem } from '../../../kit/notice.tsx';
import { Section } from '../../../kit/page.tsx';
import { type State, StateMark } from '../../../kit/state.tsx';
import { Same } from '../../../same/same.tsx';
import { newKey } from '../live-turns.ts';
import css from './browser.module.css';
import { Controls } from './controls.tsx';
import { History, useEntries } from './history.tsx';
import { LastPicture } from './picture.tsx';
import { Receipt } from './receipt.tsx';
import type { Command, SessionBrowser } from './types.ts';

type Policy = NonNullable<SessionBrowser['policy']>;
const modes = ['read_only', 'allow_all', 'allowlist'] as const satisfies Policy['mode'][];

const modeWords: Record<Policy['mode'], string> = {
  read_only: 'It opens pages, looks at them and moves about. It presses and types nothing.',
  allow_all: 'It looks, presses, types and calls tools of pages, wherever it may go.',
  allowlist: 'It goes to the addresses below and nowhere else, and does everything there.',
};

const states: Record<SessionBrowser['state'], [State, string]> = {
  active: ['passed', 'open'],
  sleeping: ['pending', 'sleeping; a command wakes it'],
  closed: ['skipped', 'closed'],
};

/** The browser of a chat: what it shows, what it was told, and telling it something. */
export function BrowserPane({
  sessionId,
  browser,
  busy,
}: {
  sessionId: string;
  browser: SessionBrowser | null;
  /** A turn goes on, which may use it. */
  busy: boolean;
}) {
  if (!browser || browser.state === 'closed') return <NoBrowser sessionId={sessionId} browser={browser} />;
  return <OpenBrowser key={browser.browserSessionId} {...{ sessionId, browser, busy }} />;
}

function useChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    for (const id of ['getChatSession', 'chatSessionBrowserTrace'] as const)
      await queryClient.invalidateQueries(answersOf(id));
  };
}

function NoBrowser({ sessionId, browser }: { sessionId: string; browser: SessionBrowser | null }) {
  const changed = useChanged();
  const [mode, setMode] = useState<Policy['mode']>('read_only');
  const [origins, setOrigins] = useState('');
  const originAllowlist = origins.split(/[\s,]+/).filter(Boolean);
  const policy: Policy = { mode, ...(mode === 'allowlist' && { originAllowlist }) };
  const input = { sessionId, body: { policy } };
  const opening = useMutation({
    mutationFn: () => api.chatSessionBrowserOpen(input),
    onSuccess: changed,
  });
  return (
    <Section title="Browser" actions={<Same operation="chatSessionBrowserOpen" input={input} />}>
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          opening.mutate();
        }}
      >
        <Note>
          {browser?.closedReason === undefined
            ? 'This chat has no browser.'
            : `Closed: ${browser.closedReason}.`}
        </Note>
        <Field label="What it may do" hint={modeWords[mode]}>
          <Select
            value={mode}
            onChange={({ target }) => setMode(modes.find((one) => one === target.value) ?? 'read_only')}
            options={[
              ['read_only', 'only look'],
              ['allow_all', 'everything'],
              ['allowlist', 'everything at some addresses'],
            ]}
          />
        </Field>
        {mode === 'allowlist' && (
          <Field label="Addresses" hint="One in a line, like https://example.com or *.example.com.">
            <TextArea rows={3} value={origins} onChange={({ target }) => setOrigins(target.value)} />
          </Field>
        )}
        {opening.isError && <Problem error={opening.error} />}
        <div>
          <Button
            type="submit"
            look="primary"
            busy={opening.isPending}
            disabled={mode === 'allowlist' && originAllowlist.length === 0}
          >
            Open browser
          </Button>
        </div>
      </form>
    </Section>
  );
}

function OpenBrowser({
  sessionId,
  browser,
  busy,
}: {
  sessionId: string;
  browser: SessionBrowser;
  busy: boolean;
}) {
  const changed = useChanged();
  const entries = useEntries(sessionId, busy);
  const [receipt, setReceipt] = useState<Output<'chatSessionBrowserCommand'>>();
  const [told, setTold] = useState<Command>({ op: 'observe', mode: 'screenshot' });
  const telling = useMutation({
    mutationFn: (command: Command) =>
      api.chatSessionBrowserCommand({ sessionId, body: { command, commandId: newKey() } }),
    onSuccess: async (answer) => {
      setReceipt(answer);
      await changed();
    },
  });
  const closing = useMutation({
    mutationFn: () => api.chatSessionBrowserClose({ sessionId, body: {} }),
    onSuccess: changed,
  });
  const tell = (command: Command): void => {
    setTold(command);
    telling.mutate(command);
  };
  const [state, word] = states[browser.state];
  const looksOnly = browser.policy?.mode === 'read_only';
  return (
    <Section
      title="Browser"
      actions={
        <>
          <Same operation="chatSessionBrowserCommand" input={{ sessionId, body: { command: told } }} />
          <Button busy={closing.isPending} onClick={() => closing.mutate()}>
            Close browser
          </Button>
        </>
      }
    >
      <p className={css.facts}>
        <StateMark state={state}>{word}</StateMark>
        <span>{modeWords[browser.policy?.mode ?? 'read_only']}</span>
      </p>
      <Controls
        busy={telling.isPending}
        looksOnly={looksOnly}
        address={receipt?.['url'] ?? entries.list.findLast(({ url }) => url !== undefined)?.['url']}
        tell={tell}
      />
      {(telling.isError || closing.isError) && <Problem error={telling.error ?? closing.error} />}
      {receipt && <Receipt receipt={receipt} />}
      <LastPicture
        sessionId={sessionId}
        entries={entries.list}
        onPoint={
          looksOnly
            ? undefined
            : (coordinates) =>
                tell({ op: 'act', verb: 'click', target: { coordinates }, observeAfter: 'screenshot' })
        }
      />
      <History sessionId={sessionId} entries={entries} onNoted={changed} />
    </Section>
  );
}
