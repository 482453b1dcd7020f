import { useState } from 'react';
import { useMemberOnly } from '../../api/features.ts';
import { api, ask, type Input, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import dialog from '../../kit/dialog.module.css';
import { Dialog } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/field.tsx';
import { SubmitError } from '../../kit/form-dialog.tsx';
import { LinkLine } from '../../kit/link-line.tsx';
import { Note } from '../../kit/notice.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { Time } from '../../kit/time.tsx';
import css from './runs.module.css';

type Share = Output<'getShare'>;
type Change = Omit<Input<'updateShare'>['body'], 'expectedPolicyVersion'>;

export type SharedKind = 'evalRun' | 'conformanceRun';

const seen: Record<SharedKind, string> = {
  evalRun:
    'Anyone with the link can see the case names and results without an account, but no conversations or tool calls.',
  conformanceRun:
    'Anyone with the link can see the score and the titles of failed checks without an account, but no server responses.',
};

/** Turns link sharing of a run on or off, sets its expiration, and replaces the link. */
export function ShareDialog({
  projectId,
  runId,
  kind,
  onClose,
}: {
  projectId: string;
  runId: string;
  kind: SharedKind;
  onClose: () => void;
}) {
  const which = { projectId, shareKind: kind, targetId: runId };
  const memberOnly = useMemberOnly(projectId);
  const share = useQuery({ ...ask('getShare', which), staleTime: 0 });
  const changing = useSubmit(
    ({ change }: { change: Change; done: string }) =>
      api.updateShare({
        ...which,
        body: { ...change, expectedPolicyVersion: share.data?.policyVersion ?? 0 },
      }),
    { says: (_, { done }) => done },
  );
  const change = (body: Change, done: string): void => changing.mutate({ change: body, done });
  const { data } = share;
  return (
    <Dialog onClose={onClose} title="Share this run">
      <div className={dialog.body}>
        <p>{seen[kind]}</p>
        <QueryState of={share} lines={2} />
        {data && (
          <Sharing
            key={data.policyVersion}
            share={data}
            busy={changing.isPending}
            fixed={memberOnly}
            change={change}
          />
        )}
        {memberOnly && <Note>Only project administrators can change this.</Note>}
        <SubmitError of={changing} />
        <footer className={dialog.foot}>
          <span className={dialog.example}>
            <ApiExample operation="updateShare" input={{ ...which, body: { shared: !data?.shared } }} />
          </span>
          <Button onClick={onClose}>Close</Button>
        </footer>
      </div>
    </Dialog>
  );
}

function Sharing({
  share: { shared, link, expiresAt },
  busy,
  fixed,
  change,
}: {
  share: Share;
  busy: boolean;
  fixed: boolean;
  change: (change: Change, done: string) => void;
}) {
  const [opened] = useState(Date.now);
  const before = expiresAt === null ? '' : dayOf(expiresAt);
  const [end, setEnd] = useState(before);
  return (
    <>
      <fieldset className={css.sharing} disabled={busy || fixed}>
        <legend className="visually-hidden">Sharing</legend>
        <Switch
          label="Anyone with the link can view this run"
          checked={shared}
          onChange={(on) =>
            on ? change({ shared: true }, 'Run shared') : change({ shared: false }, 'Sharing stopped')
          }
        />
      </fieldset>
      {link && (
        <>
          <LinkLine url={link.url} label="Copy link" open="Open" />
          <fieldset className={css.sharing} disabled={busy || fixed}>
            <legend className="visually-hidden">The link</legend>
            <div className={css.ends}>
              <TextField
                label="Expires after"
                type="date"
                min={dayOf(opened)}
                value={end}
                onChange={setEnd}
              />
              <Button
                disabled={end === before}
                onClick={() => change({ expiresAt: end === '' ? null : endOf(end) }, 'Expiration saved')}
              >
                Save
              </Button>
              <Button onClick={() => change({ rotate: true }, 'Link replaced')}>New link</Button>
            </div>
            <Note>
              {expiresAt === null ? (
                'If empty, the link works until you stop sharing.'
              ) : (
                <>
                  Shared until <Time at={expiresAt} />.
                </>
              )}{' '}
              A new link replaces the old one immediately.
            </Note>
          </fieldset>
        </>
      )}
    </>
  );
}

/** The day in the user's time zone. */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The end of a day in the user's time zone. */
function endOf(day: string): number {
  return new Date(`${day}T23:59:59`).getTime();
}
