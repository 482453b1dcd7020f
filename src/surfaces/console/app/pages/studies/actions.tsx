import { useState } from 'react';
import { useMemberOnly } from '../../api/features.ts';
import { api, ask, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { OneChoice } from '../../kit/choices.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { AreaField, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Glyph } from '../../kit/state.tsx';
import { accessLostText, type Mode, modeLabels, modes } from './modes.ts';
import css from './studies.module.css';
import type { Study } from './study.ts';
import { VisitorPreview } from './visitor-preview.tsx';

/** Edits the name and description that visitors see. */
export function EditStudy({ study }: { study: Study }) {
  return (
    <DialogButton renderDialog={(close) => <EditDialog study={study} onClose={close} />}>Edit</DialogButton>
  );
}

function EditDialog({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId } = study;
  const [name, setName] = useState(study.name);
  const [description, setDescription] = useState(study.description ?? '');
  const body = { name: name.trim(), description: description.trim() };
  const saving = useSubmit(() => api.updateStudy({ projectId, studyId, body }), {
    says: 'Study saved',
    onDone: onClose,
  });
  return (
    <FormDialog
      title={`Edit ${study.name}`}
      verb="Save changes"
      action={saving}
      blocked={body.name === ''}
      onClose={onClose}
      example={<ApiExample operation="updateStudy" input={{ projectId, studyId, body }} />}
    >
      <TextField
        label="Name"
        required
        hint="Visible to visitors."
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <AreaField
        label="Description"
        hint="A few sentences on what visitors should try."
        rows={4}
        maxLength={2000}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  );
}

/** Changes who has access, and warns if anyone loses it. */
export function ChangeMode({ study }: { study: Study }) {
  return (
    <DialogButton renderDialog={(close) => <ModeDialog study={study} onClose={close} />}>
      Change access
    </DialogButton>
  );
}

function ModeDialog({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId } = study;
  const before = study.mode ?? 'invited_only';
  const [mode, setMode] = useState<Mode>(before);
  const out = accessLostText(before, mode);
  const input = { projectId, studyId, body: { mode } };
  const saving = useSubmit(() => api.updateStudy(input), {
    says: `Access changed: ${modeLabels(mode).toLowerCase()}`,
    onDone: onClose,
  });
  return (
    <FormDialog
      title={`Access to ${study.name}`}
      verb={out === undefined ? 'Save' : 'Restrict access'}
      action={saving}
      blocked={mode === before}
      onClose={onClose}
      example={<ApiExample operation="updateStudy" input={input} />}
    >
      <OneChoice legend="Access" choices={modes} chosen={mode} onChange={setMode} />
      {out !== undefined && (
        <div className={css.warning} role="status">
          <Glyph state="attention" size={16} />
          <p>
            <strong>{out}</strong> All visits end. Visitors who still have access can reopen the link.
            Conversations are kept.
          </p>
        </div>
      )}
    </FormDialog>
  );
}

export function RotateLink({ study: { id: studyId, projectId, name } }: { study: Study }) {
  const input = { projectId, studyId };
  return (
    <ConfirmButton
      label="New link"
      question={`Replace the link of ${name}?`}
      verb="Replace link"
      write={() => api.rotateStudyLink(input)}
      says="Link replaced"
      example={<ApiExample operation="rotateStudyLink" input={input} />}
    >
      <p>
        The current link stops working. Visitors already in the study can continue. Invitation links keep
        working.
      </p>
    </ConfirmButton>
  );
}

/** Moves a study to another environment, with the same link. */
export function RebindStudy({ study }: { study: Study }) {
  return (
    <DialogButton renderDialog={(close) => <RebindDialog study={study} onClose={close} />}>
      Change environment
    </DialogButton>
  );
}

function RebindDialog({ study, onClose }: { study: Study; onClose: () => void }) {
  const { id: studyId, projectId, name, description, mode } = study;
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const others = environments.data?.items.filter(({ id }) => id !== study.environmentId) ?? [];
  const [chosen, setChosen] = useState<string>();
  const environmentId = chosen ?? others[0]?.id ?? '';
  const input = { projectId, studyId, body: { environmentId } };
  const moving = useSubmit(() => api.rebindStudy(input), { says: 'Study moved', onDone: onClose });
  return (
    <FormDialog
      title={`Move ${name} to another environment`}
      verb="Move study"
      wide
      action={moving}
      error={environments.error}
      blocked={environmentId === ''}
      onClose={onClose}
      example={<ApiExample operation="rebindStudy" input={input} />}
    >
      <Note>
        The link, members and sessions are kept. Visitors cannot continue earlier conversations; they start
        new ones.
      </Note>
      {environments.isSuccess && others.length === 0 ? (
        <Note>No other environments.</Note>
      ) : (
        <SelectField
          label="Environment"
          value={environmentId}
          options={others.map((one) => [one.id, one.name ?? one.id] as const)}
          onChange={setChosen}
        />
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
  const { id, projectId, name, environmentId } = study;
  const memberOnly = useMemberOnly(projectId);
  const input = { projectId, environmentId: environmentId ?? '', scenarioId: id };
  return (
    <ConfirmButton
      variant="danger"
      label="Unpublish"
      disabled={memberOnly}
      tip={memberOnly ? 'Only project administrators can unpublish' : undefined}
      question={`Unpublish ${name}?`}
      verb="Unpublish study"
      write={() => api.unpublishStudy(input)}
      says={`${name} unpublished`}
      example={<ApiExample operation="unpublishStudy" input={input} />}
    >
      <p>
        Everyone loses access immediately and the link stops working. Members, sessions and findings are kept.
        Publishing again restores the study with a new link.
      </p>
    </ConfirmButton>
  );
}
