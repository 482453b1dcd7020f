import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Id } from '../../kit/copy.tsx';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import form from '../../kit/form.module.css';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { type Visibility, visibilities } from './visibility.ts';

type Project = Output<'listProjects'>['items'][number];

/** What a project is called and who sees it; the end of it too. */
export function ProjectPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/settings' });
  const projects = useQuery(ask('listProjects', {}));
  const project = projects.data?.items.find(({ id }) => id === projectId);
  return (
    <Page title="Project" name="Project" actions={<Same operation="listProjects" input={{}} />}>
      {projects.isPending && <Skeleton lines={6} />}
      {projects.isError && <Problem error={projects.error} retry={() => void projects.refetch()} />}
      {project && (
        <>
          <Facts
            facts={[
              ['Id', <Id key="id" value={project.id} />],
              ['Your role', project.role],
              ['Made', <Time key="made" at={project.createdAt} />],
              ['Changed', <Time key="changed" at={project.updatedAt} />],
            ]}
          />
          <Editing key={project.updatedAt} project={project} />
          <Deleting project={project} others={projects.data?.items ?? []} />
        </>
      )}
    </Page>
  );
}

function Editing({ project }: { project: Project }) {
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description ?? '');
  const [visibility, setVisibility] = useState<Visibility>(project.visibility);
  const queryClient = useQueryClient();
  const body = {
    ...(name !== project.name && { name }),
    ...(description !== (project.description ?? '') && { description: description || null }),
    ...(visibility !== project.visibility && { visibility }),
  };
  const input = { projectId: project.id, body };
  const nothingToDo = Object.keys(body).length === 0;
  const saving = useMutation({
    mutationFn: () => api.updateProject(input),
    onSuccess: async () => {
      say('Project saved');
      await queryClient.invalidateQueries(answersOf('listProjects'));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!nothingToDo && name.trim() !== '') saving.mutate();
  };
  const readOnly = project.role !== 'admin';
  return (
    <Section title="Edit" actions={<Same operation="updateProject" input={input} />}>
      {readOnly && <Note>Administrators of the project can change this.</Note>}
      <form className={form.form} onSubmit={submit} autoComplete="off">
        <div className={form.columns}>
          <Field label="Name">
            <TextInput value={name} disabled={readOnly} onChange={({ target }) => setName(target.value)} />
          </Field>
          <Field label="Description">
            <TextInput
              value={description}
              disabled={readOnly}
              onChange={({ target }) => setDescription(target.value)}
            />
          </Field>
          <Field label="Who sees it">
            <Select
              value={visibility}
              disabled={readOnly}
              onChange={({ target }) => setVisibility(target.value as Visibility)}
              options={visibilities}
            />
          </Field>
        </div>
        {saving.isError && <Problem error={saving.error} />}
        {!readOnly && (
          <div>
            <Button
              type="submit"
              look="primary"
              busy={saving.isPending}
              disabled={nothingToDo || name.trim() === ''}
            >
              Save changes
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}

function Deleting({ project, others }: { project: Project; others: Project[] }) {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const input = { projectId: project.id };
  const deleting = useMutation({
    mutationFn: () => api.deleteProject(input),
    onSuccess: async () => {
      say(`Project ${project.name} deleted`);
      const next = others.find(({ id }) => id !== project.id);
      if (next) await navigate({ to: '/projects/$projectId', params: { projectId: next.id } });
      else await navigate({ to: '/' });
      await queryClient.invalidateQueries(answersOf('listProjects'));
    },
    onError: complain,
  });
  return (
    <Section
      title="Delete"
      actions={
        <Button look="danger" disabled={project.role !== 'admin'} onClick={() => setAsking(true)}>
          Delete project
        </Button>
      }
    >
      <Note>
        With everything in it, for everybody, at once. The project Default, which receives results from
        elsewhere, stays.
      </Note>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Delete ${project.name}?`}
          verb="Delete project"
          typed={project.name}
          busy={deleting.isPending}
          same={<Same operation="deleteProject" input={input} />}
          onConfirm={() => deleting.mutate()}
          lost={<Lost projectId={project.id} />}
        />
      )}
    </Section>
  );
}

/** Counted when asked, so that nobody deletes more than they think. */
function Lost({ projectId }: { projectId: string }) {
  const input = { projectId };
  const suites = useQuery(ask('listEvalSuites', input));
  const lists = useQueries({
    queries: [
      ask('listProjectServers', input),
      ask('listEnvironments', input),
      ask('listClients', input),
      ask('listSecrets', input),
      ask('listServerGroups', input),
    ].map((query) => query as never),
  }) as { data?: { items: unknown[] } }[];
  const nouns = ['server', 'environment', 'client', 'secret', 'server group'];
  const runs = suites.data?.items.reduce((sum, { totals }) => sum + totals.runs, 0) ?? 0;
  const counts = [
    ...lists.map(({ data }, at) => [data?.items.length ?? 0, nouns[at] as string] as const),
    [suites.data?.items.length ?? 0, 'suite'] as const,
    [runs, 'run'] as const,
  ].filter(([many]) => many > 0);
  return (
    <>
      <p>Lost for everybody, and not to be had back:</p>
      <p>
        {counts.length === 0
          ? 'the project, which is empty.'
          : `${counts.map(([many, noun]) => counted(many, noun)).join(', ')}, with their traces, results, schedules and stored values.`}
      </p>
      <p>CI jobs and agents that name this project are refused from then on.</p>
    </>
  );
}
