import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import {
  ask,
  askPeople,
  type ConsoleOutput,
  type Output,
  people,
  useAction,
  useQuery,
} from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { Select } from '../../kit/field.tsx';
import { Empty, Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import css from './organization.module.css';
import { type OrganizationContext, OrganizationPage } from './organization-page.tsx';

type ProjectMember = ConsoleOutput<'listProjectMembers'>['items'][number];
type Project = Output<'listProjects'>['items'][number];
type Role = ProjectMember['role'];

const route = '/organizations/$organizationId/projects';
const roles = [
  ['member', 'member'],
  ['admin', 'admin'],
] as const;

export function ProjectMembersPage() {
  return (
    <OrganizationPage name="Project access" actions={<ApiExample operation="listProjects" input={{}} />}>
      {(context) => <Projects context={context} />}
    </OrganizationPage>
  );
}

function Projects({ context }: { context: OrganizationContext }) {
  const search = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const projects = useQuery(ask('listProjects', {}));
  const items = projects.data?.items ?? [];
  if (!projects.isSuccess) return <QueryState of={projects} lines={5} />;
  const chosen = items.find(({ id }) => id === (search.project ?? items[0]?.id));
  if (items.length === 0)
    return (
      <Empty
        title="No projects"
        action={<ApiExample operation="createProject" input={{ body: { name: 'My projects' } }} />}
      >
        Ask an administrator to invite you to a project, or create one with the API.
      </Empty>
    );
  return (
    <>
      <search className={css.filters}>
        <Select
          aria-label="Project"
          value={chosen?.id ?? ''}
          onChange={({ target }) => void navigate({ search: { project: target.value }, replace: true })}
          options={[
            ...(chosen ? [] : [['', 'Select a project'] as const]),
            ...items.map(({ id, name }) => [id, name] as const),
          ]}
        />
      </search>
      {chosen ? (
        <People key={chosen.id} context={context} project={chosen} />
      ) : (
        <Empty title="Project not found">
          The project was deleted, or you have no access. Select another project.
        </Empty>
      )}
    </>
  );
}

function People({ context, project }: { context: OrganizationContext; project: Project }) {
  const { id: projectId, name, visibility, role } = project;
  const members = useQuery(askPeople('listProjectMembers', { projectId }));
  const items = members.data?.items ?? [];
  const decides = role === 'admin';
  return (
    <Section title={members.data ? `${counted(items.length, 'person', 'people')} can access ${name}` : name}>
      <QueryState of={members} lines={4} />
      {decides && members.data && <InviteTo context={context} project={project} members={items} />}
      {items.length > 0 && (
        <Table
          label={`People with access to ${name}`}
          columns={columnsOf(project, decides)}
          rows={items}
          keyOf={({ userId }) => userId}
        />
      )}
      <Note>
        {visibility === 'public'
          ? 'Public project: every member of the organization has access.'
          : 'Private project: invited members and administrators of the organization have access.'}
        {!decides && ' Project administrators manage access.'}
      </Note>
    </Section>
  );
}

function columnsOf(project: Project, decides: boolean): Column<ProjectMember>[] {
  const common: Column<ProjectMember>[] = [
    {
      name: 'Person',
      main: true,
      cell: ({ name, email }) => (
        <span className={css.person}>
          {name}
          <small>{email}</small>
        </span>
      ),
    },
    {
      name: 'Role',
      cell: (member) =>
        decides && member.invited ? <ProjectRole project={project} member={member} /> : member.role,
    },
    {
      name: 'Access',
      cell: ({ invited, role }) =>
        invited ? 'by invitation' : role === 'admin' ? 'by organization role' : 'public project',
    },
  ];
  if (!decides) return common;
  return [
    ...common,
    {
      name: 'Actions',
      figure: true,
      cell: (member) => member.invited && <RevokeAccess project={project} member={member} />,
    },
  ];
}

function useSetRole(project: Project) {
  return useAction(
    ({ memberId, role }: { memberId: string; role: Role }) =>
      people.setProjectMember({ projectId: project.id, memberId, body: { role } }),
    { says: ({ name, role }) => `${name}'s role in ${project.name} is now ${role}` },
  );
}

function ProjectRole({ project, member }: { project: Project; member: ProjectMember }) {
  const setting = useSetRole(project);
  return (
    <Select
      aria-label={`Role of ${member.name}`}
      value={setting.isPending ? setting.variables.role : member.role}
      disabled={setting.isPending}
      onChange={({ target }) => setting.mutate({ memberId: member.userId, role: target.value as Role })}
      options={roles}
    />
  );
}

function InviteTo({
  context: { organizationId },
  project,
  members,
}: {
  context: OrganizationContext;
  project: Project;
  members: ProjectMember[];
}) {
  const [memberId, setMemberId] = useState('');
  const [role, setRole] = useState<Role>('member');
  const everybody = useQuery(askPeople('listMembers', { organizationId }));
  const setting = useSetRole(project);
  const invited = new Set(members.filter((one) => one.invited).map(({ userId }) => userId));
  // Organization administrators need no invitation.
  const others = (everybody.data?.items ?? []).filter(
    (one) => one.role === 'member' && !invited.has(one.userId),
  );
  if (others.length === 0) return null;
  return (
    <div className={css.filters}>
      <Select
        aria-label="Member to invite"
        value={memberId}
        onChange={({ target }) => setMemberId(target.value)}
        options={[
          ['', 'Select a member'],
          ...others.map(({ userId, name, email }) => [userId, `${name}, ${email}`] as const),
        ]}
      />
      <Select
        aria-label="Project role"
        value={role}
        onChange={({ target }) => setRole(target.value as Role)}
        options={roles}
      />
      <Button
        disabled={memberId === ''}
        busy={setting.isPending}
        onClick={() => setting.mutate({ memberId, role }, { onSuccess: () => setMemberId('') })}
      >
        Invite to project
      </Button>
    </div>
  );
}

function RevokeAccess({ project, member }: { project: Project; member: ProjectMember }) {
  return (
    <ConfirmButton
      variant="danger"
      label="Revoke access"
      aria-label={`Revoke access of ${member.name}`}
      question={`Revoke access of ${member.name}?`}
      write={() => people.removeProjectMember({ projectId: project.id, projectMemberId: member.userId })}
      says={`${member.name} no longer has access to ${project.name}`}
    >
      <p>
        {project.visibility === 'private'
          ? `${member.email} and their API keys lose access to ${project.name} immediately.`
          : `${project.name} is public: ${member.email} keeps access as a member and loses the invited role.`}{' '}
        Everything they created stays.
      </p>
    </ConfirmButton>
  );
}
