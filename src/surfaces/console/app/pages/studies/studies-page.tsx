import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { useMemberOnly, useStudiesOff } from '../../api/features.ts';
import { partFrom } from '../../api/parts.ts';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import type { StudiesSearch } from './address.ts';
import { Lately } from './lately.tsx';
import { modeWords } from './modes.ts';
import { StudiesOff } from './studies-off.tsx';

const PublishStudy = partFrom(() => import('./publish.tsx'), 'PublishStudy');

type Study = Output<'listStudies'>['items'][number];

const route = '/projects/$projectId/studies';

/** Environments that people chat with by a link. */
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
  const items = studies.data?.items ?? [];
  return (
    <Page
      title="Studies"
      name="Studies"
      actions={
        <>
          <Switch
            label="Unpublished ones too"
            checked={unpublished === true}
            onChange={(on) => set({ unpublished: on ? true : undefined })}
          />
          <Same operation="listStudies" input={input} />
          <Button
            look="primary"
            disabled={memberOnly}
            title={memberOnly ? 'Administrators of the project publish' : undefined}
            onClick={() => set({ publish: true })}
          >
            Publish an environment
          </Button>
        </>
      }
    >
      {studies.isPending && <Skeleton lines={5} />}
      {studies.isError && <Problem error={studies.error} retry={() => void studies.refetch()} />}
      {studies.isSuccess && items.length === 0 && (
        <Empty title={unpublished ? 'No study yet' : 'No study is published'}>
          A study is an environment behind a link: people open it, chat with your servers, and you read how it
          went. {memberOnly && 'Administrators of the project publish.'}
        </Empty>
      )}
      {items.length > 0 && (
        <Table label="Studies" columns={columnsOf(projectId)} rows={items} keyOf={({ id }) => id} />
      )}
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
    { name: 'Who gets in', cell: ({ mode, published }) => (published ? modeWords(mode) : 'nobody') },
    { name: 'Client', cell: ({ hostName }) => hostName ?? 'does not hold together' },
    { name: 'Servers', cell: ({ serverNames }) => serverNames.join(', ') || 'none' },
    {
      name: 'Sessions lately',
      figure: true,
      cell: (study) => <Lately study={study} />,
    },
    {
      name: 'Changed',
      figure: true,
      cell: ({ updatedAt }) => (updatedAt == null ? '' : <Time at={updatedAt} />),
    },
    {
      name: 'Link',
      figure: true,
      cell: ({ link, name }) =>
        link ? <CopyButton text={link.url} label={`Copy the link of ${name}`} /> : '',
    },
  ];
}
