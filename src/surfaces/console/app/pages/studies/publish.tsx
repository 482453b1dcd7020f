import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button, linkClass } from '../../kit/button.tsx';
import { OneChoice } from '../../kit/choices.tsx';
import dialog from '../../kit/dialog.module.css';
import { Field, Select, TextArea, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { LazyDialog } from '../../kit/lazy-dialog.tsx';
import { LinkLine } from '../../kit/link-line.tsx';
import { Note } from '../../kit/notice.tsx';
import { Same } from '../../same/same.tsx';
import { type Mode, modes, modeWords } from './modes.ts';
import type { Study } from './study.ts';
import { VisitorPreview } from './visitor-preview.tsx';

type Published = Output<'publishStudy'>;

/** Puts an environment behind a link, and shows what those who follow it get. */
export function PublishStudy({
  projectId,
  environmentId: given,
  again,
  onClose,
}: {
  projectId: string;
  /** Left out, it is chosen here. */
  environmentId?: string;
  /** The study that was published before. */
  again?: Study;
  onClose: () => void;
}) {
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const named = environments.data?.items.filter(({ name }) => name !== null) ?? [];
  const [chosen, setChosen] = useState(given);
  const [name, setName] = useState(again?.name ?? '');
  const [description, setDescription] = useState(again?.description ?? '');
  const [mode, setMode] = useState<Mode>(again?.mode ?? 'invited_only');
  const queryClient = useQueryClient();
  const environment = named.find(({ id }) => id === (chosen ?? named[0]?.id));
  const environmentId = environment?.id ?? given ?? '';
  const body = {
    mode,
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(description.trim() !== '' && { description: description.trim() }),
  };
  const publishing = useMutation({
    mutationFn: () => api.publishStudy({ projectId, environmentId, body }),
    onSuccess: async () => {
      for (const id of ['listStudies', 'getStudy'] as const)
        await queryClient.invalidateQueries(answersOf(id));
    },
  });
  if (publishing.data)
    return <PublishedDialog projectId={projectId} study={publishing.data} onClose={onClose} />;
  const none = environments.isSuccess && named.length === 0;
  return (
    <FormDialog
      title="Publish a study"
      verb="Publish"
      wide
      busy={publishing.isPending}
      error={publishing.error ?? environments.error}
      blocked={environmentId === ''}
      onClose={onClose}
      onSubmit={() => publishing.mutate()}
      same={<Same operation="publishStudy" input={{ projectId, environmentId, body }} />}
    >
      {none ? (
        <Note>
          There is no environment to publish.{' '}
          <Link to="/projects/$projectId/environments" params={{ projectId }} search={{ add: true }}>
            Create one
          </Link>{' '}
          first.
        </Note>
      ) : (
        given === undefined && (
          <Field label="Environment" hint="What visitors chat with.">
            <Select
              value={environmentId}
              onChange={({ target }) => setChosen(target.value)}
              options={named.map((one) => [one.id, one.name ?? one.id] as const)}
            />
          </Field>
        )
      )}
      <Field label="Name" hint="Visitors read it. Left empty, it is called as the environment.">
        <TextInput
          maxLength={200}
          value={name}
          placeholder={environment?.name ?? ''}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <Field label="Description" hint="What you want them to try, in a few sentences.">
        <TextArea
          rows={2}
          maxLength={2000}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </Field>
      <OneChoice legend="Who gets in" choices={modes} chosen={mode} onChange={setMode} />
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
          <p>It was published before, so that its name, its description and who gets in stay as they were.</p>
        )}
        <p>Who gets in: {modeWords(mode).toLowerCase()}.</p>
        {link !== null && <LinkLine url={link} label="Copy the link" open="Open as a visitor" />}
        {mode === 'invited_only' && <Note>Invite people on the page of the study.</Note>}
      </div>
      <footer className={dialog.foot}>
        <Link
          to="/projects/$projectId/studies/$studyId"
          params={{ projectId, studyId }}
          className={linkClass}
        >
          Go to the study
        </Link>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </LazyDialog>
  );
}
