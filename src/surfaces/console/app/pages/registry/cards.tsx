import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, ask, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Changes } from '../../kit/changes.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { UsedBy } from '../../kit/used-by.tsx';
import { Same } from '../../same/same.tsx';
import { useOrganization } from '../../shell/organization.ts';
import { usesOf } from '../servers/uses.ts';
import { aboutColumns } from './card-columns.tsx';
import { type Installed, InstalledMark, sayInstalled, useInstalledChanged } from './installed.tsx';
import css from './registry.module.css';
import { type Card, refusalOf } from './words.ts';

/** What administrators of the organization have chosen for its projects. */
export function Cards({ projectId, installed }: { projectId: string; installed: Installed }) {
  const cards = useInfiniteQuery(askPages('listRegistryServers', { projectId, limit: 50 }));
  const organization = useOrganization();
  const items = cards.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section
      title="From your organization"
      actions={
        <>
          <Same operation="listRegistryServers" input={{ projectId }} />
          {organization && (
            <Link
              to="/organizations/$organizationId/registry"
              params={{ organizationId: organization.id }}
              className={css.way}
            >
              {organization.role === 'member' ? 'All cards' : 'Add or change cards'}
            </Link>
          )}
        </>
      }
    >
      {cards.isPending && <Skeleton lines={2} />}
      {cards.isError && <Problem error={cards.error} retry={() => void cards.refetch()} />}
      {cards.isSuccess && items.length === 0 && (
        <Note>
          Nobody has chosen servers for the projects of this organization yet. Its administrators can.
        </Note>
      )}
      {items.length > 0 && (
        <Table
          label="Cards of the organization"
          columns={columnsOf(projectId, installed)}
          rows={items}
          keyOf={({ id }) => id}
        />
      )}
      {cards.hasNextPage && (
        <div>
          <Button busy={cards.isFetchingNextPage} onClick={() => void cards.fetchNextPage()}>
            Show more cards
          </Button>
        </div>
      )}
    </Section>
  );
}

function columnsOf(projectId: string, installed: Installed): Column<Card>[] {
  return [
    ...aboutColumns,
    {
      name: 'Install',
      figure: true,
      cell: (card) => <InstallCard projectId={projectId} card={card} installed={installed} />,
    },
  ];
}

function InstallCard({
  projectId,
  card,
  installed,
}: {
  projectId: string;
  card: Card;
  installed: Installed;
}) {
  const connection = installed.get(card.id);
  const [asking, setAsking] = useState(false);
  // The card as it was when somebody wanted it, which it is not any more.
  const [seen, setSeen] = useState<Card>();
  const changed = useInstalledChanged();
  const queryClient = useQueryClient();
  const input = {
    projectId,
    body: {
      registryServerId: card.id,
      ...(card.updatedAt !== undefined && { expectedUpdatedAt: card.updatedAt }),
    },
  };
  const installing = useMutation({
    mutationFn: () => api.installRegistryServer(input),
    onSuccess: async (answer) => {
      setSeen(undefined);
      sayInstalled(answer);
      await changed();
    },
    onError: async (error) => {
      if (refusalOf(error) !== 'CARD_CHANGED') return complain(error);
      setSeen(card);
      await queryClient.invalidateQueries(answersOf('listRegistryServers'));
    },
  });
  const moved = connection?.endpointUrl !== undefined && connection.endpointUrl !== card.transport?.url;
  const button = (words: string) => (
    <Button
      aria-label={`${words} ${card.name}`}
      busy={installing.isPending}
      onClick={() => installing.mutate()}
    >
      {words}
    </Button>
  );
  return (
    <span className={css.actions}>
      {connection && <InstalledMark connection={connection} />}
      {card.status !== 'deprecated' && !connection && button('Install')}
      {card.status !== 'deprecated' && moved && button('Move along')}
      {connection && (
        <Button look="quiet" aria-label={`Uninstall ${card.name}`} onClick={() => setAsking(true)}>
          Uninstall
        </Button>
      )}
      {seen && (
        <FormDialog
          title={`${card.name} was changed`}
          verb="Install as it is now"
          busy={installing.isPending}
          error={undefined}
          blocked={seen.updatedAt === card.updatedAt}
          same={<Same operation="installRegistryServer" input={input} />}
          onClose={() => setSeen(undefined)}
          onSubmit={() => installing.mutate()}
        >
          <p>Somebody has changed the card since you looked at it. Nothing is installed yet.</p>
          <Changes label="What is new" before={said(seen)} after={said(card)} names={names} />
        </FormDialog>
      )}
      {asking && connection && (
        <Uninstall
          projectId={projectId}
          card={card}
          server={{ id: connection.serverId, name: connection.serverName ?? card.name }}
          onClose={() => setAsking(false)}
        />
      )}
    </span>
  );
}

const names = {
  displayName: 'title',
  'transport.url': 'address',
  'transport.useOAuth': 'OAuth',
  'transport.hasOAuthConfig': 'OAuth client',
  'transport.oauthScopes': 'OAuth scopes',
};

/** Without what changes with every change. */
function said({ updatedAt: _, ...card }: Card): Omit<Card, 'updatedAt'> {
  return card;
}

function Uninstall({
  projectId,
  card,
  server,
  onClose,
}: {
  projectId: string;
  card: Card;
  server: { id: string; name: string };
  onClose: () => void;
}) {
  const input = { projectId, registryServerId: card.id };
  const uses = useQuery(usesOf(projectId, server));
  const saved = useQuery(ask('getProjectServer', { projectId, serverId: server.id }));
  const changed = useInstalledChanged();
  const removing = useMutation({
    mutationFn: () => api.uninstallRegistryServer(input),
    onSuccess: async () => {
      say(`${card.name} is uninstalled`);
      onClose();
      await changed();
    },
    onError: complain,
  });
  const stored = saved.data ? [...saved.data.headerNames, ...saved.data.envNames] : [];
  return (
    <Confirm
      onClose={onClose}
      title={`Uninstall ${card.name}?`}
      verb="Uninstall"
      busy={removing.isPending}
      same={<Same operation="uninstallRegistryServer" input={input} />}
      onConfirm={() => removing.mutate()}
      lost={
        <>
          <p>
            The saved server <strong>{server.name}</strong> goes, with everything stored for it: its tokens
            {stored.length > 0 && `, the values of ${stored.join(', ')}`} and its baseline. Runs that were
            made with it keep what they recorded. The card stays.
          </p>
          {uses.isPending && <p>Looking for what uses it…</p>}
          {uses.isError && <Problem error={uses.error} retry={() => void uses.refetch()} />}
          {uses.data && (
            <UsedBy
              uses={uses.data.uses}
              more={uses.data.more}
              none="No suite, client, group or environment uses it."
              lead="These use it, and will miss it:"
            />
          )}
        </>
      }
    />
  );
}
