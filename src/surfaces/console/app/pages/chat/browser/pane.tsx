import { useState } from 'react';
import { api, type Output, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Button } from '../../../kit/button.tsx';
import { AreaField, SelectField, submits } from '../../../kit/field.tsx';
import form from '../../../kit/form.module.css';
import { SubmitError } from '../../../kit/form-dialog.tsx';
import { newKey } from '../../../kit/new-key.ts';
import { Note, Problem } from '../../../kit/notice.tsx';
import { Section } from '../../../kit/page.tsx';
import { type State, StateMark } from '../../../kit/state.tsx';
import css from './browser.module.css';
import { Controls } from './controls.tsx';
import { History, useEntries } from './history.tsx';
import { LastPicture } from './picture.tsx';
import { Receipt } from './receipt.tsx';
import type { Command, SessionBrowser } from './types.ts';

type Policy = NonNullable<SessionBrowser['policy']>;
const modes = ['read_only', 'allow_all', 'allowlist'] as const satisfies Policy['mode'][];

const modeLabels: Record<Policy['mode'], string> = {
  read_only: 'Opens and reads pages. No clicks or typing.',
  allow_all: 'Reads, clicks, types and calls page tools on any allowed site.',
  allowlist: 'Full control, limited to listed addresses.',
};

const states: Record<SessionBrowser['state'], [State, string]> = {
  active: ['passed', 'open'],
  sleeping: ['pending', 'sleeping; a command wakes it'],
  closed: ['skipped', 'closed'],
};

/** The chat's browser: its latest screenshot, controls and history. */
export function BrowserPane({
  sessionId,
  browser,
  busy,
}: {
  sessionId: string;
  browser: SessionBrowser | null;
  /** Whether a turn is running, which may use the browser. */
  busy: boolean;
}) {
  if (!browser || browser.state === 'closed') return <NoBrowser sessionId={sessionId} browser={browser} />;
  return <OpenBrowser key={browser.browserSessionId} {...{ sessionId, browser, busy }} />;
}

function NoBrowser({ sessionId, browser }: { sessionId: string; browser: SessionBrowser | null }) {
  const [mode, setMode] = useState<Policy['mode']>('read_only');
  const [origins, setOrigins] = useState('');
  const originAllowlist = origins.split(/[\s,]+/).filter(Boolean);
  const policy: Policy = { mode, ...(mode === 'allowlist' && { originAllowlist }) };
  const input = { sessionId, body: { policy } };
  const opening = useSubmit(() => api.chatSessionBrowserOpen(input));
  return (
    <Section title="Browser" actions={<ApiExample operation="chatSessionBrowserOpen" input={input} />}>
      <form className={form.form} onSubmit={submits(() => opening.mutate())}>
        <Note>
          {browser?.closedReason === undefined ? 'No browser open.' : `Closed: ${browser.closedReason}.`}
        </Note>
        <SelectField
          label="Permissions"
          hint={modeLabels[mode]}
          value={mode}
          options={[
            ['read_only', 'read-only'],
            ['allow_all', 'everything'],
            ['allowlist', 'full control of listed addresses'],
          ]}
          onChange={(value) => setMode(modes.find((one) => one === value) ?? 'read_only')}
        />
        {mode === 'allowlist' && (
          <AreaField
            label="Addresses"
            hint="One per line, for example https://example.com or *.example.com."
            rows={3}
            value={origins}
            onChange={setOrigins}
          />
        )}
        <SubmitError of={opening} />
        <div>
          <Button
            type="submit"
            variant="primary"
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
  const entries = useEntries(sessionId, busy);
  const [receipt, setReceipt] = useState<Output<'chatSessionBrowserCommand'>>();
  const [told, setTold] = useState<Command>({ op: 'observe', mode: 'screenshot' });
  const telling = useSubmit(
    (command: Command) =>
      api.chatSessionBrowserCommand({ sessionId, body: { command, commandId: newKey() } }),
    { onDone: (answer) => setReceipt(answer) },
  );
  const closing = useSubmit(() => api.chatSessionBrowserClose({ sessionId, body: {} }));
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
          <ApiExample operation="chatSessionBrowserCommand" input={{ sessionId, body: { command: told } }} />
          <Button action={closing}>Close browser</Button>
        </>
      }
    >
      <p className={css.facts}>
        <StateMark state={state}>{word}</StateMark>
        <span>{modeLabels[browser.policy?.mode ?? 'read_only']}</span>
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
      <History sessionId={sessionId} entries={entries} />
    </Section>
  );
}
