import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { Code } from '../../kit/code.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';

type Skill = Output<'listProjectSkills'>['items'][number];

/** Skills are written with the command line; here they are read. */
export function SkillsPage() {
  const { projectId } = useParams({ from: '/projects/$projectId/skills' });
  const { skill } = useSearch({ from: '/projects/$projectId/skills' });
  const skills = useQuery(ask('listProjectSkills', { projectId }));
  const items = skills.data?.items ?? [];
  return (
    <Page title="Skills" name="Skills" actions={<Same operation="listProjectSkills" input={{ projectId }} />}>
      {skills.isPending && <Skeleton lines={5} />}
      {skills.isError && <Problem error={skills.error} retry={() => void skills.refetch()} />}
      {skills.isSuccess && items.length === 0 && (
        <Empty
          title="No skill yet"
          action={
            <Code
              text={`drydock skills add FOLDER --project ${projectId}`}
              label="command that adds a skill"
            />
          }
        >
          Instructions that a model can be given, from a folder with a SKILL.md. The one who runs this
          installation adds them on its machine.
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <Note>
            Added, replaced and removed with <code>drydock skills</code> on the machine of this service.
          </Note>
          <Table label="Skills" columns={columnsOf(projectId)} rows={items} keyOf={({ id }) => id} />
        </>
      )}
      {skill !== undefined && <Text projectId={projectId} skillId={skill} />}
    </Page>
  );
}

function Text({ projectId, skillId }: { projectId: string; skillId: string }) {
  const skill = useQuery(ask('getProjectSkill', { projectId, skillId }));
  return (
    <Section
      title={skill.data?.name ?? 'Skill'}
      actions={<Same operation="getProjectSkill" input={{ projectId, skillId }} />}
    >
      {skill.isPending && <Skeleton lines={4} />}
      {skill.isError && <Problem error={skill.error} retry={() => void skill.refetch()} />}
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
    { name: 'About', cell: ({ description }) => description },
    {
      name: 'For',
      cell: ({ sharing, isOwner }) =>
        sharing === 'project' ? 'the project' : isOwner ? 'only you' : 'its owner',
    },
    { name: 'From', cell: ({ provenance }) => (provenance === 'plugin' ? 'a plugin' : provenance) },
    {
      name: 'Environments',
      cell: ({ pinnability }) =>
        pinnability.ok ? (
          <StateMark state="passed">may pin it</StateMark>
        ) : (
          <StateMark state="skipped">cannot pin it</StateMark>
        ),
    },
    { name: 'Changed', figure: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
