import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { askPages } from '../../api/ask.ts';
import { useMemberOnly } from '../../api/features.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Same } from '../../same/same.tsx';
import type { RegistrySearch } from './address.ts';
import { EntryMore, entryColumns } from './entries.tsx';
import { Filters } from './filters.tsx';
import { InstallButton } from './install-button.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { type Installed, InstalledMark } from './installed.tsx';
import css from './registry.module.css';
import { Sources, useSources } from './sources.tsx';
import { askedOf, type Entry, titleOf } from './words.ts';

const route = '/projects/$projectId/registry';

/** What the sources of this installation list. What is looked for is in the address. */
export function Directory({ projectId, installed }: { projectId: string; installed: Installed }) {
  const search = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const sources = useSources();
  // What a reader had before them when it turned out to be changed.
  const [seen, setSeen] = useState<Entry>();
  const asked = askedOf(search);
  const found = useInfiniteQuery({
    ...askPages('searchRegistryDirectory', asked),
    placeholderData: keepPreviousData,
  });
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const set = (changed: RegistrySearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const open = (id: string | undefined, before?: Entry): void => {
    setSeen(before);
    void navigate({ search: (now) => ({ ...now, install: id }), replace: id === undefined });
  };
  const off = sources.data?.items.length === 0;
  return (
    <Section title="Directory" actions={<Same operation="searchRegistryDirectory" input={asked} />}>
      {off ? (
        <Empty title="This installation has no directory">
          Whoever runs it names lists of MCP servers in DRYDOCK_REGISTRY_SOURCES. Servers of your own are
          saved on the page Servers.
        </Empty>
      ) : (
        <>
          <Sources sources={sources} />
          <Filters search={search} sources={sources.data?.items ?? []} onChange={set} />
          {found.isPending && <Skeleton lines={6} />}
          {found.isError && <Problem error={found.error} retry={() => void found.refetch()} />}
          {found.isSuccess && items.length === 0 && <Nothing search={search} onShowAll={set} />}
          {items.length > 0 && (
            <Table
              label="Servers of the directory"
              columns={columnsOf(projectId, installed, open)}
              rows={items}
              keyOf={({ id }) => id}
              unfolding={{
                open: search.entry,
                toggle: (entry) => set({ entry }),
                nameOf: titleOf,
                content: more,
              }}
            />
          )}
          {found.hasNextPage && (
            <div>
              <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                Show more servers
              </Button>
            </div>
          )}
        </>
      )}
      {search.install !== undefined && (
        <InstallDialog
          key={search.install}
          projectId={projectId}
          id={search.install}
          seen={seen}
          onClose={() => open(undefined)}
        />
      )}
    </Section>
  );
}

type Open = (id: string, seen?: Entry) => void;

function columnsOf(projectId: string, installed: Installed, open: Open): Column<Entry>[] {
  return [
    ...entryColumns,
    {
      name: 'Install',
      figure: true,
      cell: (entry) => <InstallCell projectId={projectId} entry={entry} installed={installed} open={open} />,
    },
  ];
}

function more(entry: Entry) {
  return <EntryMore entry={entry} />;
}

function Nothing({
  search: { q, source, kind, installable },
  onShowAll,
}: {
  search: RegistrySearch;
  onShowAll: (changed: RegistrySearch) => void;
}) {
  if (q === undefined && source === undefined && kind === undefined && !installable)
    return <Note>Nothing is listed yet. The sources are read in the background, once an hour.</Note>;
  return (
    <Empty
      title="No server is listed like this"
      action={
        <Button
          onClick={() =>
            onShowAll({ q: undefined, source: undefined, kind: undefined, installable: undefined })
          }
        >
          Show all servers
        </Button>
      }
    >
      Words are looked for in names, titles and descriptions, also as the beginning of longer ones. Try fewer
      of them.
    </Empty>
  );
}

/** That it is installed, or the way to install it, or that there is none. */
function InstallCell({
  projectId,
  entry,
  installed,
  open,
}: {
  projectId: string;
  entry: Entry;
  installed: Installed;
  open: Open;
}) {
  const memberOnly = useMemberOnly(projectId);
  const connection = installed.get(entry.id);
  const moved =
    entry.endpointKind === 'fixed' &&
    connection?.endpointUrl !== undefined &&
    connection.endpointUrl !== entry.remoteUrl;
  if (connection)
    return (
      <span className={css.actions}>
        <InstalledMark connection={connection} />
        {moved && <InstallButton projectId={projectId} entry={entry} verb="Move along" open={open} />}
      </span>
    );
  if (entry.endpointKind === undefined) return <span className={css.soft}>not installable</span>;
  if (entry.endpointKind === 'package' && memberOnly)
    return <span className={css.actions}>by an administrator of the project</span>;
  return (
    <span className={css.actions}>
      <InstallButton projectId={projectId} entry={entry} verb="Install" open={open} />
    </span>
  );
}
