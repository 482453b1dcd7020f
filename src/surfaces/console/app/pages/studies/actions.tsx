import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { useMemberOnly } from '../../api/features.ts';
import { Button } from '../../kit/button.tsx';
import { OneChoice } from '../../kit/choices.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Field, Select, TextArea, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Glyph } from '../../kit/state.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { type Mode, modes, modeWords, whoIsOut } from './modes.ts';
import css from './studies.module.css';
import { type Study, useStudiesChanged } from './study.ts';
import { VisitorPreview } from './visitor-preview.tsx';

/** A change of a study: the dialog closes, it is said what was done, and pages read it again. */
function useChange(change: () => Promise<unknown>, done: string, onDone: () => void) {
  const changed = useStudiesChanged();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      onDone();
      say(done);
      await changed();
    },
  });
}

/** Name and description, as visitors read them. */
export function EditStudy({ study }: { study: Study }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Edit</Button>
      {open && <EditDialog study={study} onClose={() => setOpen(false)} />}
    </>
  );
}

function EditDialog({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId } = study;
  const [name, setName] = useState(study.name);
  const [description, setDescription] = useState(study.description ?? '');
  const body = { name: name.trim(), description: description.trim() };
  const saving = useChange(() => api.updateStudy({ projectId, studyId, body }), 'Study saved', onClose);
  return (
    <FormDialog
      title={`Edit ${study.name}`}
      verb="Save changes"
      busy={saving.isPending}
      error={saving.error}
      blocked={body.name === ''}
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={<Same operation="updateStudy" input={{ projectId, studyId, body }} />}
    >
      <Field label="Name" needed hint="Visitors read it.">
        <TextInput maxLength={200} value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Description" hint="What you want them to try, in a few sentences.">
        <TextArea
          rows={4}
          maxLength={2000}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </Field>
    </FormDialog>
  );
}

/** Who gets in. Where that is fewer than before it is said who is out. */
export function ChangeMode({ study }: { study: Study }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Change who gets in</Button>
      {open && <ModeDialog study={study} onClose={() => setOpen(false)} />}
    </>
  );
}

function ModeDialog({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId } = study;
  const before = study.mode ?? 'invited_only';
  const [mode, setMode] = useState<Mode>(before);
  const out = whoIsOut(before, mode);
  const input = { projectId, studyId, body: { mode } };
  const saving = useChange(
    () => api.updateStudy(input),
    `Who gets in now: ${modeWords(mode).toLowerCase()}`,
    onClose,
  );
  return (
    <FormDialog
      title={`Who gets in to ${study.name}`}
      verb={out === undefined ? 'Save' : 'Let in fewer'}
      busy={saving.isPending}
      error={saving.error}
      blocked={mode === before}
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={<Same operation="updateStudy" input={input} />}
    >
      <OneChoice legend="Who gets in" choices={modes} chosen={mode} onChange={setMode} />
      {out !== undefined && (
        <div className={css.warning} role="status">
          <Glyph state="attention" size={16} />
          <p>
            <strong>{out}</strong> All visits end; whoever may still come in goes on by opening the link
            again. What was said is kept.
          </p>
        </div>
      )}
    </FormDialog>
  );
}

export function RotateLink({ study }: { study: Study }) {
  const { id: studyId, projectId, name } = study;
  const [asking, setAsking] = useState(false);
  const input = { projectId, studyId };
  const rotating = useChange(
    () => api.rotateStudyLink(input),
    'The study has a new link',
    () => setAsking(false),
  );
  return (
    <>
      <Button onClick={() => setAsking(true)}>New link</Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Replace the link of ${name}?`}
          verb="Replace link"
          busy={rotating.isPending}
          onConfirm={() => rotating.mutate(undefined, { onError: complain })}
          same={<Same operation="rotateStudyLink" input={input} />}
          lost={
            <p>
              The link that you have handed on lets nobody in any more. Whoever is in stays in and chats on.
              Links of invitations go on working.
            </p>
          }
        />
      )}
    </>
  );
}

/** Another environment behind the same link. */
export function RebindStudy({ study }: { study: Study }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Change environment</Button>
      {open && <RebindDialog study={study} onClose={() => setOpen(false)} />}
    </>
  );
}

function RebindDialog({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId, name, description, mode } = study;
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const others = environments.data?.items.filter(({ id }) => id !== study.environmentId) ?? [];
  const [chosen, setChosen] = useState<string>();
  const environmentId = chosen ?? others[0]?.id ?? '';
  const input = { projectId, studyId, body: { environmentId } };
  const moving = useChange(() => api.rebindStudy(input), 'Study moved', onClose);
  return (
    <FormDialog
      title={`Move ${name} to another environment`}
      verb="Move study"
      wide
      busy={moving.isPending}
      error={moving.error ?? environments.error}
      blocked={environmentId === ''}
      onClose={onClose}
      onSubmit={() => moving.mutate()}
      same={<Same operation="rebindStudy" input={input} />}
    >
      <Note>
        Link, members and sessions stay. Conversations that were begun before do not go on: visitors begin new
        ones.
      </Note>
      {environments.isSuccess && others.length === 0 ? (
        <Note>There is no other environment.</Note>
      ) : (
        <Field label="Environment">
          <Select
            value={environmentId}
            onChange={({ target }) => setChosen(target.value)}
            options={others.map((one) => [one.id, one.name ?? one.id] as const)}
          />
        </Field>
      )}
      {environmentId !== '' && (
        <VisitorPreview
          key={environmentId}
          projectId={projectId}
          environmentId={environmentId}
          name={name}
          description={description ?? ''}
          mode={mode ?? 'invited_only'}
          guestCap={study.guestExecution?.dailyCreditCap}
        />
      )}
    </FormDialog>
  );
}

export function UnpublishStudy({ study }: { study: Study }) {
  const { id, projectId, name, environmentId = '' } = study;
  const [asking, setAsking] = useState(false);
  const memberOnly = useMemberOnly(projectId);
  const input = { projectId, environmentId: environmentId ?? '', scenarioId: id };
  const ending = useChange(
    () => api.unpublishStudy(input),
    `${name} is no longer published`,
    () => setAsking(false),
  );
  return (
    <>
      <Button
        look="danger"
        disabled={memberOnly}
        title={memberOnly ? 'Administrators of the project unpublish' : undefined}
        onClick={() => setAsking(true)}
      >
        Unpublish
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Unpublish ${name}?`}
          verb="Unpublish study"
          busy={ending.isPending}
          onConfirm={() => ending.mutate(undefined, { onError: complain })}
          same={<Same operation="unpublishStudy" input={input} />}
          lost={
            <p>
              Everybody is out at once, and the link lets nobody in. Members, sessions and findings are kept:
              published again, it is the same study with a new link.
            </p>
          }
        />
      )}
    </>
  );
}
