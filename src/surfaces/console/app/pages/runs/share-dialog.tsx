import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Input, Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { useMemberOnly } from '../../api/features.ts';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import dialog from '../../kit/dialog.module.css';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { LinkLine } from '../../kit/link-line.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './runs.module.css';

type Share = Output<'getShare'>;
type Change = Omit<Input<'updateShare'>['body'], 'expectedPolicyVersion'>;

export type SharedKind = 'evalRun' | 'conformanceRun';

/** What is seen by whoever has the link. */
const seen: Record<SharedKind, string> = {
  evalRun:
    'Whoever has the link sees the names of the cases and how they went, without an account. They see nothing of what was said to models or tools.',
  conformanceRun:
    'Whoever has the link sees the score and the titles of checks that failed or could not run, without an account. They see nothing of what the server said.',
};

/** Whether whoever has the link may see a run, until when, and with which link. */
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
  const queryClient = useQueryClient();
  const share = useQuery({ ...ask('getShare', which), staleTime: 0 });
  const changing = useMutation({
    mutationFn: ({ change }: { change: Change; done: string }) =>
      api.updateShare({
        ...which,
        body: { ...change, expectedPolicyVersion: share.data?.policyVersion ?? 0 },
      }),
    onSuccess: (_, { done }) => say(done),
    // A refusal may say that somebody else has changed it: what is shown is read again either way.
    onSettled: () => queryClient.invalidateQueries(answersOf('getShare')),
  });
  const change = (body: Change, done: string): void => changing.mutate({ change: body, done });
  const { data } = share;
  return (
    <Dialog onClose={onClose} title="Share this run">
      <div className={dialog.body}>
        <p>{seen[kind]}</p>
        {share.isError && <Problem error={share.error} retry={() => void share.refetch()} />}
        {share.isPending && <Skeleton lines={2} />}
        {data && (
          <Sharing
            key={data.policyVersion}
            share={data}
            busy={changing.isPending}
            fixed={memberOnly}
            change={change}
          />
        )}
        {memberOnly && <Note>Administrators of the project decide this.</Note>}
        {changing.isError && <Problem error={changing.error} />}
        <footer className={dialog.foot}>
          <span className={dialog.same}>
            <Same operation="updateShare" input={{ ...which, body: { shared: !data?.shared } }} />
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
          label="Whoever has the link sees this run"
          checked={shared}
          onChange={(on) =>
            on ? change({ shared: true }, 'Run shared') : change({ shared: false }, 'No longer shared')
          }
        />
      </fieldset>
      {link && (
        <>
          <LinkLine url={link.url} label="Copy the link" open="Open it" />
          <fieldset className={css.sharing} disabled={busy || fixed}>
            <legend className="visually-hidden">The link</legend>
            <div className={css.ends}>
              <Field label="Ends after">
                <TextInput
                  type="date"
                  min={dayOf(opened)}
                  value={end}
                  onChange={({ target }) => setEnd(target.value)}
                />
              </Field>
              <Button
                disabled={end === before}
                onClick={() => change({ expiresAt: end === '' ? null : endOf(end) }, 'End of sharing saved')}
              >
                Save end
              </Button>
              <Button onClick={() => change({ rotate: true }, 'The run has a new link')}>New link</Button>
            </div>
            <Note>
              {expiresAt === null ? (
                'Without a day it is shared until you stop it.'
              ) : (
                <>
                  Shared until <Time at={expiresAt} />.
                </>
              )}{' '}
              A new link ends the old one at once.
            </Note>
          </fieldset>
        </>
      )}
    </>
  );
}

/** The day of the reader. */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last moment of a day of the reader. */
function endOf(day: string): number {
  return new Date(`${day}T23:59:59`).getTime();
}
