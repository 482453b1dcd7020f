import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, ask, type Input, type Output, useQuery, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Button } from '../../../kit/button.tsx';
import { Confirm, ConfirmButton } from '../../../kit/confirm.tsx';
import { Id } from '../../../kit/copy.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { JsonSide, type Typed, typedFrom } from '../../../kit/form/json-side.tsx';
import type { Schema } from '../../../kit/form/schema.ts';
import { Note, Problem } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { QueryState } from '../../../kit/query-state.tsx';
import type { Suite } from '../suite-labels.ts';
import { bodyOf, changesOf, newCase, problemsOf, refusedFields } from './case-body.ts';
import { CaseForm } from './case-form.tsx';
import css from './editor.module.css';
import { TryResult, useTry } from './try-case.tsx';

type Case = Output<'getEvalCase'>;
type Created = Input<'createEvalCase'>['body'];

const route = '/projects/$projectId/suites/$suiteId';

/** Editor of a case, beside its suite. */
export function CasePanel({ suite, caseId, onClose }: { suite: Suite; caseId: string; onClose: () => void }) {
  const isNew = caseId === 'new';
  const which = { projectId: suite.projectId, suiteId: suite.id, caseId };
  const one = useQuery({ ...ask('getEvalCase', which), enabled: !isNew });
  // Kept here, because saving remounts the editor.
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
      <QueryState of={one} lines={8} />
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
  // Remounts the fields when the JSON is edited, to discard partially typed values.
  const [edits, setEdits] = useState(0);
  const [leaving, setLeaving] = useState(false);
  const body = typed.value;
  const dirty = JSON.stringify(body) !== JSON.stringify(before ?? newCase);
  const readOnly = suite.managedBy === 'ci';
  const saving = useSave(suite, one, before);
  const refused = saving.isError ? refusedFields(saving.error) : new Map<string, string>();
  const problems = new Map([...problemsOf(body, before), ...refused]);
  // An untouched new case shows no errors.
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
      {readOnly && <Note>This suite is managed by a file or a reporter. Its cases are read-only here.</Note>}
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
          <ul className={css.problems} aria-label="Problems">
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
              variant="primary"
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
            title="Runs the case once"
            onClick={() => void saveThen((id) => trying.mutate(id))}
          >
            {dirty ? 'Save and run once' : 'Run once'}
          </Button>
          <CaseActions suite={suite} one={one} before={before} body={body} />
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
        >
          <p>Your unsaved changes to this case will be lost.</p>
        </Confirm>
      )}
    </Dialog>
  );
}

function CaseActions({
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
    <ApiExample
      operation="updateEvalCase"
      input={{ ...which, caseId: one.id, body: changesOf(before ?? {}, body) }}
    />
  ) : (
    <ApiExample operation="createEvalCase" input={{ ...which, body: body as unknown as Created }} />
  );
}

function useSave(suite: Suite, one: Case | undefined, before: Schema | undefined) {
  const which = { projectId: suite.projectId, suiteId: suite.id };
  const navigate = useNavigate({ from: route });
  return useSubmit(
    (body: Schema): Promise<Case> =>
      one
        ? api.updateEvalCase({ ...which, caseId: one.id, body: changesOf(before ?? {}, body) })
        : api.createEvalCase({ ...which, body: body as unknown as Created }),
    {
      says: one ? 'Case saved' : 'Case added',
      onDone: async (saved) => {
        if (!one) await navigate({ search: (now) => ({ ...now, case: saved.id }), replace: true });
      },
    },
  );
}

function DeleteCase({ suite, one, onDeleted }: { suite: Suite; one: Case; onDeleted: () => void }) {
  const input = { projectId: suite.projectId, suiteId: suite.id, caseId: one.id };
  return (
    <ConfirmButton
      variant="quiet"
      className={css.delete}
      label="Delete case"
      question={`Delete “${one.title}”?`}
      write={() => api.deleteEvalCase(input)}
      says="Case deleted"
      onDone={onDeleted}
      example={<ApiExample operation="deleteEvalCase" input={input} />}
    >
      <p>
        Its steps and checks are deleted. Future runs
        {suite.schedule.enabled ? ', including scheduled ones, ' : ' '}exclude it. Past runs keep it with
        their traces.
      </p>
    </ConfirmButton>
  );
}
