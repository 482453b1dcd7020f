import { askPages, type Output, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryState, ShowMore } from '../../kit/query-state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';

export function SuiteChanges({ which }: { which: { projectId: string; suiteId: string } }) {
  const revisions = useInfiniteQuery(askPages('listEvalSuiteRevisions', which));
  const rows = revisions.data?.items;
  return (
    <Section title="Changes" actions={<ApiExample operation="listEvalSuiteRevisions" input={which} />}>
      <QueryState of={revisions} />
      {rows && <Table label="Suite changes" rows={rows} columns={columns} />}
      <ShowMore of={revisions}>Show more</ShowMore>
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
    name: 'Runs',
    cell: ({ pinnedRunCount, pinnedRunCountCapped }) =>
      `${pinnedRunCount}${pinnedRunCountCapped ? ' or more' : ''}`,
    figure: true,
  },
  { name: 'Time', cell: ({ createdAt }) => <Time at={createdAt} /> },
];
