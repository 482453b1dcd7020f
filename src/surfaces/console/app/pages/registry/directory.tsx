import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMemberOnly } from '../../api/features.ts';
import { askPages, keepPreviousData, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Empty, Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import type { RegistrySearch } from './address.ts';
import { EntryMore, entryColumns } from './entries.tsx';
import { Filters } from './filters.tsx';
import { InstallButton } from './install-button.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { type Installed, InstalledMark } from './installed.tsx';
import { askedOf, type Entry, titleOf } from './labels.ts';
import css from './registry.module.css';
import { Sources, useSources } from './sources.tsx';

const route = '/projects/$projectId/registry';

/** The search is stored in the URL. */
export function Directory({ projectId, installed }: { projectId: string; installed: Installed }) {
  const search = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const sources = useSources();
  // The entry as shown before it changed.
  const [seen, setSeen] = useState<Entry>();
  const asked = askedOf(search);
  const found = useInfiniteQuery({
    ...askPages('searchRegistryDirectory', asked),
    placeholderData: keepPreviousData,
  });
  const set = (changed: RegistrySearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const open = (id: string | undefined, before?: Entry): void => {
    setSeen(before);
    void navigate({ search: (now) => ({ ...now, install: id }), replace: id === undefined });
  };
  const off = sources.data?.items.length === 0;
  return (
    <Section title="Directory" actions={<ApiExample operation="searchRegistryDirectory" input={asked} />}>
      {off ? (
        <Empty title="No directory configured">
          The operator configures sources of MCP servers in DRYDOCK_REGISTRY_SOURCES. Add your own servers on
          the Servers page.
        </Empty>
      ) : (
        <>
          <Sources sources={sources} />
          <Filters search={search} sources={sources.data?.items ?? []} onChange={set} />
          <QueryTable
            of={found}
            lines={6}
            label="Directory servers"
            columns={columnsOf(projectId, installed, open)}
            unfolding={{
              open: search.entry,
              toggle: (entry) => set({ entry }),
              nameOf: titleOf,
              content: more,
            }}
          >
            <NoServers search={search} onShowAll={set} />
          </QueryTable>
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

function NoServers({
  search: { q, source, kind, installable },
  onShowAll,
}: {
  search: RegistrySearch;
  onShowAll: (changed: RegistrySearch) => void;
}) {
  if (q === undefined && source === undefined && kind === undefined && !installable)
    return <Note>No servers yet. Sources sync in the background once an hour.</Note>;
  return (
    <Empty
      title="No results"
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
      The search matches the beginnings of words in names, titles and descriptions. Try fewer words.
    </Empty>
  );
}

/** Shows that the entry is installed, a button to install it, or why it cannot be installed. */
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
        {moved && <InstallButton projectId={projectId} entry={entry} verb="Update" open={open} />}
      </span>
    );
  if (entry.endpointKind === undefined) return <span className={common.soft}>not installable</span>;
  if (entry.endpointKind === 'package' && memberOnly)
    return <span className={css.actions}>by a project administrator</span>;
  return (
    <span className={css.actions}>
      <InstallButton projectId={projectId} entry={entry} verb="Install" open={open} />
    </span>
  );
}
