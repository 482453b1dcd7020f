import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answersOf, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { OrganizationPage, type Standing } from '../organization/organization-page.tsx';
import type { CardsSearch } from './address.ts';
import { aboutColumns } from './card-columns.tsx';
import { CardForm } from './card-form.tsx';
import { GuestToken } from './guest-token.tsx';
import css from './registry.module.css';
import type { Card } from './words.ts';

const route = '/organizations/$organizationId/registry';

/** Servers that the organization has chosen for its projects, and a look into the directory for guests. */
export function OrganizationRegistryPage() {
  const { organizationId } = useParams({ from: route });
  const [making, setMaking] = useState(false);
  const open = useOpen();
  return (
    <OrganizationPage
      name="Registry"
      actions={<Button onClick={() => setMaking(true)}>Make a guest token</Button>}
      administration={
        <Button look="primary" onClick={() => open({ add: true })}>
          Add card
        </Button>
      }
    >
      {(standing) => (
        <>
          <OrganizationCards standing={standing} />
          {making && <GuestToken organizationId={organizationId} onClose={() => setMaking(false)} />}
        </>
      )}
    </OrganizationPage>
  );
}

function useOpen(): (search: CardsSearch) => void {
  const navigate = useNavigate({ from: route });
  return (search) =>
    void navigate({ search, replace: search.add === undefined && search.edit === undefined });
}

function OrganizationCards({ standing }: { standing: Standing }) {
  const { organizationId, administers } = standing;
  const { add, edit } = useSearch({ from: route });
  const open = useOpen();
  const cards = useInfiniteQuery(askPages('listOrganizationRegistryServers', { organizationId, limit: 100 }));
  const items = cards.data?.pages.flatMap((page) => page.items) ?? [];
  const edited = items.find(({ id }) => id === edit);
  return (
    <Section
      title="Cards"
      actions={<Same operation="listOrganizationRegistryServers" input={{ organizationId }} />}
    >
      <Note>
        A card is a server that every project of the organization can install with one click.
        {!administers && ' Administrators of the organization write them.'}
      </Note>
      {cards.isPending && <Skeleton lines={4} />}
      {cards.isError && <Problem error={cards.error} retry={() => void cards.refetch()} />}
      {cards.isSuccess && items.length === 0 && (
        <Empty
          title="No card yet"
          action={administers && <Button onClick={() => open({ add: true })}>Add the first card</Button>}
        >
          Give the projects of the organization the servers that they should use, with the right addresses.
        </Empty>
      )}
      {items.length > 0 && (
        <Table
          label="Cards"
          columns={columnsOf(standing, (id) => open({ edit: id }))}
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
      {administers && add && <CardForm organizationId={organizationId} onClose={() => open({})} />}
      {administers && edited && (
        <CardForm key={edited.id} organizationId={organizationId} card={edited} onClose={() => open({})} />
      )}
    </Section>
  );
}

function columnsOf({ organizationId, administers }: Standing, edit: (id: string) => void): Column<Card>[] {
  const changed: Column<Card> = {
    name: 'Changed',
    figure: true,
    cell: ({ updatedAt }) => updatedAt !== undefined && <Time at={updatedAt} />,
  };
  if (!administers) return [...aboutColumns, changed];
  return [
    ...aboutColumns,
    changed,
    {
      name: 'Actions',
      figure: true,
      cell: (card) => (
        <CardActions organizationId={organizationId} card={card} onEdit={() => edit(card.id)} />
      ),
    },
  ];
}

function CardActions({
  organizationId,
  card,
  onEdit,
}: {
  organizationId: string;
  card: Card;
  onEdit: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const which = { organizationId, registryServerId: card.id };
  const active = card.status !== 'deprecated';
  const queryClient = useQueryClient();
  const changed = () =>
    Promise.all(
      (['listOrganizationRegistryServers', 'listRegistryServers'] as const).map((id) =>
        queryClient.invalidateQueries(answersOf(id)),
      ),
    );
  const turning = useMutation({
    mutationFn: () =>
      api.updateOrganizationRegistryServer({ ...which, body: { status: active ? 'deprecated' : 'active' } }),
    onSuccess: async ({ name, status }) => {
      say(status === 'active' ? `${name} can be installed again` : `${name} is not installed any more`);
      await changed();
    },
    onError: complain,
  });
  const deleting = useMutation({
    mutationFn: () => api.deleteOrganizationRegistryServer(which),
    onSuccess: async () => {
      say(`Card ${card.name} deleted`);
      setAsking(false);
      await changed();
    },
    onError: complain,
  });
  return (
    <span className={css.actions}>
      <Button aria-label={`Change ${card.name}`} onClick={onEdit}>
        Change
      </Button>
      <Button
        aria-label={`${active ? 'Deprecate' : 'Offer again'} ${card.name}`}
        busy={turning.isPending}
        onClick={() => turning.mutate()}
      >
        {active ? 'Deprecate' : 'Offer again'}
      </Button>
      <Button look="danger" aria-label={`Delete ${card.name}`} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Delete the card ${card.name}?`}
          verb="Delete card"
          busy={deleting.isPending}
          same={<Same operation="deleteOrganizationRegistryServer" input={which} />}
          onConfirm={() => deleting.mutate()}
          lost={
            <p>
              Projects can no longer install it. Servers that were installed from it stay where they are. To
              keep it on the list, deprecate it instead.
            </p>
          }
        />
      )}
    </span>
  );
}
