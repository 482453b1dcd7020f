import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button, linkClass } from '../../kit/button.tsx';
import { OneChoice } from '../../kit/choices.tsx';
import dialog from '../../kit/dialog.module.css';
import { LazyDialog } from '../../kit/dialog-button.tsx';
import { AreaField, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { LinkLine } from '../../kit/link-line.tsx';
import { Note } from '../../kit/notice.tsx';
import { type Mode, modeLabels, modes } from './modes.ts';
import type { Study } from './study.ts';
import { VisitorPreview } from './visitor-preview.tsx';

type Published = Output<'publishStudy'>;

/** Publishes an environment as a study, and previews what visitors get. */
export function PublishStudy({
  projectId,
  environmentId: given,
  again,
  onClose,
}: {
  projectId: string;
  /** If omitted, the user selects one. */
  environmentId?: string;
  /** The study to publish again. */
  again?: Study;
  onClose: () => void;
}) {
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const named = environments.data?.items.filter(({ name }) => name !== null) ?? [];
  const [chosen, setChosen] = useState(given);
  const [name, setName] = useState(again?.name ?? '');
  const [description, setDescription] = useState(again?.description ?? '');
  const [mode, setMode] = useState<Mode>(again?.mode ?? 'invited_only');
  const environment = named.find(({ id }) => id === (chosen ?? named[0]?.id));
  const environmentId = environment?.id ?? given ?? '';
  const body = {
    mode,
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(description.trim() !== '' && { description: description.trim() }),
  };
  const publishing = useSubmit(() => api.publishStudy({ projectId, environmentId, body }));
  if (publishing.data)
    return <PublishedDialog projectId={projectId} study={publishing.data} onClose={onClose} />;
  const none = environments.isSuccess && named.length === 0;
  return (
    <FormDialog
      title="Publish a study"
      verb="Publish"
      wide
      action={publishing}
      error={environments.error}
      blocked={environmentId === ''}
      onClose={onClose}
      example={<ApiExample operation="publishStudy" input={{ projectId, environmentId, body }} />}
    >
      {none ? (
        <Note>
          No environments to publish.{' '}
          <Link to="/projects/$projectId/environments" params={{ projectId }} search={{ add: true }}>
            Create an environment
          </Link>{' '}
          first.
        </Note>
      ) : (
        given === undefined && (
          <SelectField
            label="Environment"
            hint="The environment visitors chat with."
            value={environmentId}
            options={named.map((one) => [one.id, one.name ?? one.id] as const)}
            onChange={setChosen}
          />
        )
      )}
      <TextField
        label="Name"
        hint="Visible to visitors. Default: the environment's name."
        maxLength={200}
        value={name}
        placeholder={environment?.name ?? ''}
        onChange={setName}
      />
      <AreaField
        label="Description"
        hint="A few sentences on what visitors should try."
        rows={2}
        maxLength={2000}
        value={description}
        onChange={setDescription}
      />
      <OneChoice legend="Access" choices={modes} chosen={mode} onChange={setMode} />
      {environmentId !== '' && (
        <VisitorPreview
          key={environmentId}
          projectId={projectId}
          environmentId={environmentId}
          name={body.name ?? environment?.name ?? 'Study'}
          description={body.description ?? environment?.description ?? ''}
          mode={mode}
          guestCap={again?.guestExecution?.dailyCreditCap}
        />
      )}
    </FormDialog>
  );
}

function PublishedDialog({
  projectId,
  study,
  onClose,
}: {
  projectId: string;
  study: Published;
  onClose: () => void;
}) {
  const { id: studyId, name, link, mode, created } = study;
  return (
    <LazyDialog onClose={onClose} title={`${name} is published`} wide>
      <div className={dialog.body}>
        {created === false && (
          <p>
            The environment was already published: the study's name, description and access are unchanged.
          </p>
        )}
        <p>Access: {modeLabels(mode).toLowerCase()}.</p>
        {link !== null && <LinkLine url={link} label="Copy link" open="Open as a visitor" />}
        {mode === 'invited_only' && <Note>Invite people on the study's page.</Note>}
      </div>
      <footer className={dialog.foot}>
        <Link
          to="/projects/$projectId/studies/$studyId"
          params={{ projectId, studyId }}
          className={linkClass}
        >
          Go to study
        </Link>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </LazyDialog>
  );
}
