import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Input, Output } from '../../../../../client/index.ts';
import { answersOf, ask } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../kit/button.tsx';
import { Confirm } from '../../../kit/confirm.tsx';
import { Id } from '../../../kit/copy.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { JsonSide, type Typed, typedFrom } from '../../../kit/form/json-side.tsx';
import type { Schema } from '../../../kit/form/schema.ts';
import { Note, Problem, Skeleton } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { complain, say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import type { Suite } from '../suite-words.ts';
import { bodyOf, changesOf, newCase, problemsOf, refusedFields } from './case-body.ts';
import { CaseForm } from './case-form.tsx';
import css from './editor.module.css';
import { TryResult, useTry } from './try-case.tsx';

type Case = Output<'getEvalCase'>;
type Created = Input<'createEvalCase'>['body'];

const route = '/projects/$projectId/suites/$suiteId';

/** The editor of a case, beside the suite that it belongs to. */
export function CasePanel({ suite, caseId, onClose }: { suite: Suite; caseId: string; onClose: () => void }) {
  const isNew = caseId === 'new';
  const which = { projectId: suite.projectId, suiteId: suite.id, caseId };
  const one = useQuery({ ...ask('getEvalCase', which), enabled: !isNew });
  // Here, so that it outlives saving, which begins the editor anew.
  const trying = useTry(suite);
  if (isNew || one.data)
    return (
      <Editor
        key={`${caseId} ${one.data?.updatedAt}`}
        suite={suite}
        one={one.data}
        trying={trying}
        onClose={onClose}
      />
    );
  return (
    <Dialog onClose={onClose} title="Case" side>
      {one.isError ? <Problem error={one.error} retry={() => void one.refetch()} /> : <Skeleton lines={8} />}
    </Dialog>
  );
}

function Editor({
  suite,
  one,
  trying,
  onClose,
}: {
  suite: Suite;
  one: Case | undefined;
  trying: ReturnType<typeof useTry>;
  onClose: () => void;
}) {
  const before = useMemo(() => (one ? bodyOf(one) : undefined), [one]);
  const [typed, setTyped] = useState<Typed>(() => typedFrom(before ?? newCase));
  // Fields that hold text on the way to a value begin anew when the JSON is edited.
  const [edits, setEdits] = useState(0);
  const [leaving, setLeaving] = useState(false);
  const body = typed.value;
  const dirty = JSON.stringify(body) !== JSON.stringify(before ?? newCase);
  const readOnly = suite.managedBy === 'ci';
  const saving = useSave(suite, one, before);
  const refused = saving.isError ? refusedFields(saving.error) : new Map<string, string>();
  const problems = new Map([...problemsOf(body, before), ...refused]);
  // A case that nobody has touched yet is not wrong, only empty.
  const shown = dirty || one ? problems : new Map<string, string>();
  const wrong = typed.problem !== undefined || problemsOf(body, before).size > 0;
  const change = (next: Schema): void => {
    saving.reset();
    setTyped(typedFrom(next));
  };
  const saveThen = async (then?: (id: string) => void): Promise<void> => {
    const saved = dirty ? await saving.mutateAsync(body).catch(() => undefined) : one;
    if (saved) then?.(saved.id);
  };
  const title = one ? one.title : 'New case';
  return (
    <Dialog onClose={() => (dirty && !readOnly ? setLeaving(true) : onClose())} title={title} side>
      {one && (
        <p className={css.about}>
          <Id value={one.id} />
          {one.declaredId !== undefined && <code>{one.declaredId}</code>}
        </p>
      )}
      {readOnly && <Note>A file or a reporter owns this suite, so its cases cannot be changed here.</Note>}
      <fieldset disabled={readOnly} className={css.sides}>
        <CaseForm key={edits} body={body} isNew={!one} onChange={change} problems={shown} />
        <div className={css.raw}>
          <JsonSide
            given={typed}
            most={36}
            onChange={(next) => {
              saving.reset();
              setEdits(edits + 1);
              setTyped(next);
            }}
          />
        </div>
      </fieldset>
      <footer className={css.foot}>
        {shown.size > 0 && (
          <ul className={css.problems} aria-label="What is wrong">
            {[...shown].slice(0, 4).map(([path, problem]) => (
              <li key={path}>
                <code>{path}</code> {problem}
              </li>
            ))}
            {shown.size > 4 && <li>{counted(shown.size - 4, 'more problem')}</li>}
          </ul>
        )}
        {saving.isError && refused.size === 0 && <Problem error={saving.error} />}
        {trying.variables === one?.id && <TryResult trying={trying} projectId={suite.projectId} />}
        <div className={css.actions}>
          {!readOnly && (
            <Button
              look="primary"
              busy={saving.isPending}
              disabled={wrong || !dirty}
              onClick={() => void saveThen()}
            >
              Save case
            </Button>
          )}
          <Button
            busy={saving.isPending || trying.isPending}
            disabled={wrong || (readOnly && dirty)}
            title="Runs it once"
            onClick={() => void saveThen((id) => trying.mutate(id))}
          >
            {dirty ? 'Save and try now' : 'Try this case now'}
          </Button>
          <CaseSame suite={suite} one={one} before={before} body={body} />
          {one && !readOnly && <DeleteCase suite={suite} one={one} onDeleted={onClose} />}
        </div>
      </footer>
      {leaving && (
        <Confirm
          onClose={() => setLeaving(false)}
          title="Leave without saving?"
          verb="Discard changes"
          busy={false}
          onConfirm={onClose}
          lost={<p>What you changed in this case is lost. The case as it was saved stays as it is.</p>}
        />
      )}
    </Dialog>
  );
}

/** What saving would send. */
function CaseSame({
  suite,
  one,
  before,
  body,
}: {
  suite: Suite;
  one: Case | undefined;
  before: Schema | undefined;
  body: Schema;
}) {
  const which = { projectId: suite.projectId, suiteId: suite.id };
  return one ? (
    <Same
      operation="updateEvalCase"
      input={{ ...which, caseId: one.id, body: changesOf(before ?? {}, body) }}
    />
  ) : (
    <Same operation="createEvalCase" input={{ ...which, body: body as unknown as Created }} />
  );
}

function useSave(suite: Suite, one: Case | undefined, before: Schema | undefined) {
  const which = { projectId: suite.projectId, suiteId: suite.id };
  const queryClient = useQueryClient();
  const navigate = useNavigate({ from: route });
  return useMutation({
    mutationFn: (body: Schema): Promise<Case> =>
      one
        ? api.updateEvalCase({ ...which, caseId: one.id, body: changesOf(before ?? {}, body) })
        : api.createEvalCase({ ...which, body: body as unknown as Created }),
    onSuccess: async (saved) => {
      say(one ? 'Case saved' : 'Case added');
      queryClient.setQueryData(ask('getEvalCase', { ...which, caseId: saved.id }).queryKey, saved);
      await queryClient.invalidateQueries(answersOf('listEvalCases'));
      await queryClient.invalidateQueries(answersOf('getEvalSuite'));
      if (!one) await navigate({ search: (now) => ({ ...now, case: saved.id }), replace: true });
    },
  });
}

function DeleteCase({ suite, one, onDeleted }: { suite: Suite; one: Case; onDeleted: () => void }) {
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const input = { projectId: suite.projectId, suiteId: suite.id, caseId: one.id };
  const deleting = useMutation({
    mutationFn: () => api.deleteEvalCase(input),
    onSuccess: async () => {
      say('Case deleted');
      onDeleted();
      await queryClient.invalidateQueries(answersOf('listEvalCases'));
      await queryClient.invalidateQueries(answersOf('getEvalSuite'));
    },
    onError: complain,
  });
  return (
    <>
      <Button look="quiet" className={css.delete} onClick={() => setAsking(true)}>
        Delete case
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Delete “${one.title}”?`}
          verb="Delete case"
          busy={deleting.isPending}
          onConfirm={() => deleting.mutate()}
          lost={
            <>
              <p>
                Its steps and checks are lost, and runs from now on do without it
                {suite.schedule.enabled && ', those of the schedule too'}. Runs that were made with it keep
                it, with their traces.
              </p>
              <div>
                <Same operation="deleteEvalCase" input={input} />
              </div>
            </>
          }
        />
      )}
    </>
  );
}
