import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConsoleOutput } from '../../../../client/console.ts';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask, askPeople } from '../../api/ask.ts';
import { people } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Select } from '../../kit/field.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './organization.module.css';
import { OrganizationPage, type Standing } from './organization-page.tsx';

type ProjectMember = ConsoleOutput<'listProjectMembers'>['items'][number];
type Project = Output<'listProjects'>['items'][number];
type Role = ProjectMember['role'];

const route = '/organizations/$organizationId/projects';
const roles = [
  ['member', 'member'],
  ['admin', 'admin'],
] as const;

/** Who may enter which project. */
export function ProjectMembersPage() {
  return (
    <OrganizationPage name="Project access" actions={<Same operation="listProjects" input={{}} />}>
      {(standing) => <Projects standing={standing} />}
    </OrganizationPage>
  );
}

function Projects({ standing }: { standing: Standing }) {
  const search = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const projects = useQuery(ask('listProjects', {}));
  const items = projects.data?.items ?? [];
  if (projects.isPending) return <Skeleton lines={5} />;
  if (projects.isError) return <Problem error={projects.error} retry={() => void projects.refetch()} />;
  const chosen = items.find(({ id }) => id === (search.project ?? items[0]?.id));
  if (items.length === 0)
    return (
      <Empty
        title="No project that you may enter"
        action={<Same operation="createProject" input={{ body: { name: 'My project' } }} />}
      >
        Ask an administrator to invite you to one, or make one with the API.
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
            ...(chosen ? [] : [['', 'Choose a project'] as const]),
            ...items.map(({ id, name }) => [id, name] as const),
          ]}
        />
      </search>
      {chosen ? (
        <People key={chosen.id} standing={standing} project={chosen} />
      ) : (
        <Empty title="No such project">It was deleted, or you may not enter it. Choose another one.</Empty>
      )}
    </>
  );
}

function People({ standing, project }: { standing: Standing; project: Project }) {
  const { id: projectId, name, visibility, role } = project;
  const members = useQuery(askPeople('listProjectMembers', { projectId }));
  const items = members.data?.items ?? [];
  const decides = role === 'admin';
  return (
    <Section title={members.data ? `${counted(items.length, 'person', 'people')} may enter ${name}` : name}>
      {members.isPending && <Skeleton lines={4} />}
      {members.isError && <Problem error={members.error} retry={() => void members.refetch()} />}
      {decides && members.data && <InviteTo standing={standing} project={project} members={items} />}
      {items.length > 0 && (
        <Table
          label={`People of ${name}`}
          columns={columnsOf(project, decides)}
          rows={items}
          keyOf={({ userId }) => userId}
        />
      )}
      <Note>
        {visibility === 'public'
          ? 'The project is public: every member of the organization may enter it.'
          : 'The project is private: invited members and administrators of the organization may enter it.'}
        {!decides && ' Its administrators decide who.'}
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
      name: 'Gets in',
      cell: ({ invited, role }) =>
        invited
          ? 'by invitation'
          : role === 'admin'
            ? 'by their role in the organization'
            : 'as it is public',
    },
  ];
  if (!decides) return common;
  return [
    ...common,
    {
      name: 'Actions',
      figure: true,
      cell: (member) => member.invited && <TakeBack project={project} member={member} />,
    },
  ];
}

function useSetRole(project: Project) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ memberId, role }: { memberId: string; role: Role }) =>
      people.setProjectMember({ projectId: project.id, memberId, body: { role } }),
    onSuccess: async ({ name, role }) => {
      say(`${name} is ${role} of ${project.name}`);
      await queryClient.invalidateQueries(answersOf('listProjectMembers'));
    },
    onError: complain,
  });
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
  standing: { organizationId },
  project,
  members,
}: {
  standing: Standing;
  project: Project;
  members: ProjectMember[];
}) {
  const [memberId, setMemberId] = useState('');
  const [role, setRole] = useState<Role>('member');
  const everybody = useQuery(askPeople('listMembers', { organizationId }));
  const setting = useSetRole(project);
  const invited = new Set(members.filter((one) => one.invited).map(({ userId }) => userId));
  // Whoever administers the organization needs no invitation.
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
          ['', 'Choose a member'],
          ...others.map(({ userId, name, email }) => [userId, `${name}, ${email}`] as const),
        ]}
      />
      <Select
        aria-label="Role in the project"
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

function TakeBack({ project, member }: { project: Project; member: ProjectMember }) {
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: () => people.removeProjectMember({ projectId: project.id, projectMemberId: member.userId }),
    onSuccess: async () => {
      setAsking(false);
      say(`${member.name} is no longer invited to ${project.name}`);
      await queryClient.invalidateQueries(answersOf('listProjectMembers'));
    },
    onError: complain,
  });
  return (
    <>
      <Button
        look="danger"
        onClick={() => setAsking(true)}
        aria-label={`Take back the invitation of ${member.name}`}
      >
        Take back
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Take back the invitation of ${member.name}?`}
          verb="Take back"
          busy={removing.isPending}
          onConfirm={() => removing.mutate()}
          lost={
            <p>
              {project.visibility === 'private'
                ? `${member.email} and their API keys cannot enter ${project.name} any more, from the next request on.`
                : `${project.name} is public: ${member.email} still enters it as a member, and loses the role they were invited with.`}{' '}
              What they made stays.
            </p>
          }
        />
      )}
    </>
  );
}
