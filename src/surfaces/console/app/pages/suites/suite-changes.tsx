import { useInfiniteQuery } from '@tanstack/react-query';
import type { Output } from '../../../../client/index.ts';
import { askPages } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';

/** Who changed a suite, when, and which of its fields. */
export function SuiteChanges({ which }: { which: { projectId: string; suiteId: string } }) {
  const revisions = useInfiniteQuery(askPages('listEvalSuiteRevisions', which));
  const rows = revisions.data?.pages.flatMap(({ items }) => items);
  return (
    <Section title="Changes" actions={<Same operation="listEvalSuiteRevisions" input={which} />}>
      {revisions.isError && <Problem error={revisions.error} retry={() => void revisions.refetch()} />}
      {!rows && revisions.isPending && <Skeleton lines={3} />}
      {rows && <Table label="Changes of the suite" rows={rows} keyOf={({ id }) => id} columns={columns} />}
      {revisions.hasNextPage && (
        <Button busy={revisions.isFetchingNextPage} onClick={() => void revisions.fetchNextPage()}>
          Show older
        </Button>
      )}
    </Section>
  );
}

const sources = {
  ui: 'the console',
  api: 'the API',
  cli: 'the command line',
  file_sync: 'a file',
  import: 'an import',
  system: 'the service',
  unattributed: '',
};

const columns: Column<Output<'listEvalSuiteRevisions'>['items'][number]>[] = [
  { name: 'Revision', cell: ({ revisionNumber }) => revisionNumber, figure: true },
  { name: 'Changed', cell: ({ changedFields }) => changedFields.join(', '), main: true },
  { name: 'By', cell: ({ createdByName, createdBy }) => createdByName ?? createdBy ?? '' },
  { name: 'From', cell: ({ source }) => sources[source] },
  { name: 'Note', cell: ({ note }) => note },
  {
    name: 'Runs with it',
    cell: ({ pinnedRunCount, pinnedRunCountCapped }) =>
      `${pinnedRunCount}${pinnedRunCountCapped ? ' or more' : ''}`,
    figure: true,
  },
  { name: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
];
