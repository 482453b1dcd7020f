import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, askPages, useAction, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryState, ShowMore } from '../../kit/query-state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { type OrganizationContext, OrganizationPage } from '../organization/organization-page.tsx';
import type { CardsSearch } from './address.ts';
import { aboutColumns } from './card-columns.tsx';
import { CardForm } from './card-form.tsx';
import { GuestToken } from './guest-token.tsx';
import type { Card } from './labels.ts';
import css from './registry.module.css';

const route = '/organizations/$organizationId/registry';

export function OrganizationRegistryPage() {
  const { organizationId } = useParams({ from: route });
  const [making, setMaking] = useState(false);
  const open = useOpen();
  return (
    <OrganizationPage
      name="Registry"
      actions={<Button onClick={() => setMaking(true)}>Create guest token</Button>}
      administration={
        <Button look="primary" onClick={() => open({ add: true })}>
          Add card
        </Button>
      }
    >
      {(context) => (
        <>
          <OrganizationCards context={context} />
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

function OrganizationCards({ context }: { context: OrganizationContext }) {
  const { organizationId, administers } = context;
  const { add, edit } = useSearch({ from: route });
  const open = useOpen();
  const cards = useInfiniteQuery(askPages('listOrganizationRegistryServers', { organizationId, limit: 100 }));
  const items = cards.data?.items ?? [];
  const edited = items.find(({ id }) => id === edit);
  return (
    <Section
      title="Cards"
      actions={<ApiExample operation="listOrganizationRegistryServers" input={{ organizationId }} />}
    >
      <Note>
        A card is a server that every project of the organization can install with one click.
        {!administers && ' Organization administrators manage them.'}
      </Note>
      <QueryState
        of={cards}
        lines={4}
        empty={items.length === 0}
        title="No cards yet"
        action={administers && <Button onClick={() => open({ add: true })}>Add your first card</Button>}
      >
        Offer projects the servers they should use, with the right URLs.
      </QueryState>
      {items.length > 0 && (
        <Table
          label="Cards"
          columns={columnsOf(context, (id) => open({ edit: id }))}
          rows={items}
          keyOf={({ id }) => id}
        />
      )}
      <ShowMore of={cards}>Show more</ShowMore>
      {administers && add && <CardForm organizationId={organizationId} onClose={() => open({})} />}
      {administers && edited && (
        <CardForm key={edited.id} organizationId={organizationId} card={edited} onClose={() => open({})} />
      )}
    </Section>
  );
}

function columnsOf(
  { organizationId, administers }: OrganizationContext,
  edit: (id: string) => void,
): Column<Card>[] {
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
  const turning = useAction(
    () =>
      api.updateOrganizationRegistryServer({ ...which, body: { status: active ? 'deprecated' : 'active' } }),
    {
      says: ({ name, status }) =>
        status === 'active' ? `${name} can be installed again` : `${name} deprecated`,
    },
  );
  const deleting = useAction(() => api.deleteOrganizationRegistryServer(which), {
    says: `Card ${card.name} deleted`,
    onDone: () => setAsking(false),
  });
  return (
    <span className={css.actions}>
      <Button aria-label={`Edit ${card.name}`} onClick={onEdit}>
        Edit
      </Button>
      <Button aria-label={`${active ? 'Deprecate' : 'Restore'} ${card.name}`} action={turning}>
        {active ? 'Deprecate' : 'Restore'}
      </Button>
      <Button look="danger" aria-label={`Delete ${card.name}`} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking && (
        <Confirm
          onClose={() => setAsking(false)}
          title={`Delete the card ${card.name}?`}
          verb="Delete card"
          action={deleting}
          example={<ApiExample operation="deleteOrganizationRegistryServer" input={which} />}
        >
          <p>
            Projects can no longer install it. Installed servers are not affected. To keep it listed,
            deprecate it instead.
          </p>
        </Confirm>
      )}
    </span>
  );
}
