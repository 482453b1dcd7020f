import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemberOnly, useStudiesOff } from '../../api/features.ts';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { partFrom } from '../../api/parts.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { Page } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { StudiesSearch } from './address.ts';
import { modeLabels } from './modes.ts';
import { RecentActivity } from './recent-activity.tsx';
import { StudiesOff } from './studies-off.tsx';

const PublishStudy = partFrom(() => import('./publish.tsx'), 'PublishStudy');

type Study = Output<'listStudies'>['items'][number];

const route = '/projects/$projectId/studies';

/** Lists studies: environments that people can chat with through a link. */
export function StudiesPage() {
  const { projectId } = useParams({ from: route });
  const { unpublished, publish } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const off = useStudiesOff(projectId);
  const memberOnly = useMemberOnly(projectId);
  const input = { projectId, ...(unpublished && { includeUnpublished: 'true' as const }) };
  const studies = useQuery({ ...ask('listStudies', input), enabled: !off });
  if (off) return <StudiesOff />;
  const set = (changed: StudiesSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <Page
      title="Studies"
      actions={
        <>
          <Switch
            label="Show unpublished"
            checked={unpublished === true}
            onChange={(on) => set({ unpublished: on ? true : undefined })}
          />
          <ApiExample operation="listStudies" input={input} />
          <Button
            variant="primary"
            disabled={memberOnly}
            title={memberOnly ? 'Only project administrators can publish' : undefined}
            onClick={() => set({ publish: true })}
          >
            Publish environment
          </Button>
        </>
      }
    >
      <QueryTable
        of={studies}
        lines={5}
        title={unpublished ? 'No studies yet' : 'No study is published'}
        label="Studies"
        columns={columnsOf(projectId)}
      >
        A study publishes an environment behind a link. People chat with your servers, and you review the
        sessions. {memberOnly && 'Project administrators can publish.'}
      </QueryTable>
      {publish && <PublishStudy projectId={projectId} onClose={() => set({ publish: undefined })} />}
    </Page>
  );
}

function columnsOf(projectId: string): Column<Study>[] {
  return [
    {
      name: 'Study',
      main: true,
      cell: ({ id, name, published }) => (
        <>
          <Link to="/projects/$projectId/studies/$studyId" params={{ projectId, studyId: id }}>
            {name}
          </Link>{' '}
          {!published && <StateMark state="skipped">not published</StateMark>}
        </>
      ),
    },
    { name: 'Access', cell: ({ mode, published }) => (published ? modeLabels(mode) : 'none') },
    { name: 'Client', cell: ({ hostName }) => hostName ?? 'broken configuration' },
    { name: 'Servers', cell: ({ serverNames }) => serverNames.join(', ') || 'none' },
    {
      name: 'Recent sessions',
      figure: true,
      cell: (study) => <RecentActivity study={study} />,
    },
    {
      name: 'Changed',
      figure: true,
      cell: ({ updatedAt }) => (updatedAt == null ? '' : <Time at={updatedAt} />),
    },
    {
      name: 'Link',
      figure: true,
      cell: ({ link, name }) => (link ? <CopyButton text={link.url} label={`Copy link of ${name}`} /> : ''),
    },
  ];
}
