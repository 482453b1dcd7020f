import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Code } from '../../kit/code.tsx';
import { Note } from '../../kit/notice.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';

type Skill = Output<'listProjectSkills'>['items'][number];

/** Skills are read-only here; they are managed with the command line. */
export function SkillsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/skills' });
  const { skill } = useSearch({ from: '/projects/$projectId/skills' });
  const skills = useQuery(ask('listProjectSkills', { projectId }));
  return (
    <Page title="Skills" actions={<ApiExample operation="listProjectSkills" input={{ projectId }} />}>
      <QueryTable
        of={skills}
        lines={5}
        title="No skills yet"
        action={
          <Code text={`drydock skills add FOLDER --project ${projectId}`} label="command that adds a skill" />
        }
        note={
          <Note>
            Read-only here. Add, replace and remove skills with <code>drydock skills</code> on the machine
            that runs Drydock.
          </Note>
        }
        label="Skills"
        columns={columnsOf(projectId)}
      >
        Skills are instructions for a model, from a folder with a SKILL.md. The operator adds them with this
        command, on the machine that runs Drydock.
      </QueryTable>
      {skill !== undefined && <Text projectId={projectId} skillId={skill} />}
    </Page>
  );
}

function Text({ projectId, skillId }: { projectId: string; skillId: string }) {
  const skill = useQuery(ask('getProjectSkill', { projectId, skillId }));
  return (
    <Section
      title={skill.data?.name ?? 'Skill'}
      actions={<ApiExample operation="getProjectSkill" input={{ projectId, skillId }} />}
    >
      <QueryState of={skill} lines={4} />
      {skill.data && <Code text={skill.data.content} label={`text of ${skill.data.name}`} />}
    </Section>
  );
}

function columnsOf(projectId: string): Column<Skill>[] {
  return [
    {
      name: 'Name',
      main: true,
      cell: ({ id, name }) => (
        <Link to="/projects/$projectId/skills" params={{ projectId }} search={{ skill: id }}>
          {name}
        </Link>
      ),
    },
    { name: 'Description', cell: ({ description }) => description },
    {
      name: 'Scope',
      cell: ({ sharing, isOwner }) =>
        sharing === 'project' ? 'project' : isOwner ? 'personal' : 'personal, of another user',
    },
    { name: 'From', cell: ({ provenance }) => (provenance === 'plugin' ? 'a plugin' : provenance) },
    {
      name: 'Environments',
      cell: ({ pinnability }) =>
        pinnability.ok ? (
          <StateMark state="passed">can be pinned</StateMark>
        ) : (
          <StateMark state="skipped">cannot be pinned</StateMark>
        ),
    },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
