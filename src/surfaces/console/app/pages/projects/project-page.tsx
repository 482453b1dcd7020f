import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, type Output, useQueries, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { Id } from '../../kit/copy.tsx';
import { SelectField, submits, TextField } from '../../kit/field.tsx';
import form from '../../kit/form.module.css';
import { SubmitError } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { Time } from '../../kit/time.tsx';
import { type Visibility, visibilities } from './new-project.tsx';

type Project = Output<'listProjects'>['items'][number];

export function ProjectPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/settings' });
  const projects = useQuery(ask('listProjects', {}));
  const project = projects.data?.items.find(({ id }) => id === projectId);
  return (
    <Page title="Project" actions={<ApiExample operation="listProjects" input={{}} />}>
      <QueryState of={projects} lines={6} />
      {project && (
        <>
          <Facts
            facts={[
              ['ID', <Id key="id" value={project.id} />],
              ['Your role', project.role],
              ['Created', <Time key="made" at={project.createdAt} />],
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
  const body = {
    ...(name !== project.name && { name }),
    ...(description !== (project.description ?? '') && { description: description || null }),
    ...(visibility !== project.visibility && { visibility }),
  };
  const input = { projectId: project.id, body };
  const nothingToDo = Object.keys(body).length === 0;
  const saving = useSubmit(() => api.updateProject(input), { says: 'Project saved' });
  const readOnly = project.role !== 'admin';
  return (
    <Section title="Edit" actions={<ApiExample operation="updateProject" input={input} />}>
      {readOnly && <Note>Only project administrators can edit the project.</Note>}
      <form className={form.form} onSubmit={submits(() => saving.mutate())} autoComplete="off">
        <div className={form.columns}>
          <TextField label="Name" value={name} disabled={readOnly} onChange={setName} />
          <TextField label="Description" value={description} disabled={readOnly} onChange={setDescription} />
          <SelectField
            label="Visibility"
            value={visibility}
            disabled={readOnly}
            options={visibilities}
            onChange={setVisibility}
          />
        </div>
        <SubmitError of={saving} />
        {!readOnly && (
          <div>
            <Button
              type="submit"
              variant="primary"
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
  const navigate = useNavigate();
  const input = { projectId: project.id };
  return (
    <Section
      title="Delete"
      actions={
        <ConfirmButton
          variant="danger"
          label="Delete project"
          disabled={project.role !== 'admin'}
          question={`Delete ${project.name}?`}
          typed={project.name}
          write={() => api.deleteProject(input)}
          says={`Project ${project.name} deleted`}
          onDone={() => {
            const next = others.find(({ id }) => id !== project.id);
            return next
              ? navigate({ to: '/projects/$projectId', params: { projectId: next.id } })
              : navigate({ to: '/' });
          }}
          example={<ApiExample operation="deleteProject" input={input} />}
        >
          <DeletedContents projectId={project.id} />
        </ConfirmButton>
      }
    >
      <Note>
        Deletes the project and everything in it, for everyone, immediately. The Default project, which
        receives external results, cannot be deleted.
      </Note>
    </Section>
  );
}

/** Describes the deletion, with counts as they load. */
function DeletedContents({ projectId }: { projectId: string }) {
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
      <p>
        This permanently deletes the project and everything in it for all members
        {counts.length > 0 && `, including ${counts.map(([many, noun]) => counted(many, noun)).join(', ')}`}.
      </p>
      <p>CI jobs and agents that use this project will be refused.</p>
    </>
  );
}
