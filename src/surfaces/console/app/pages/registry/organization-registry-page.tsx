import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, askPages, useAction, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
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
  const open = useOpen();
  return (
    <OrganizationPage
      name="Registry"
      actions={
        <DialogButton
          renderDialog={(close) => <GuestToken organizationId={organizationId} onClose={close} />}
        >
          Create guest token
        </DialogButton>
      }
      administration={
        <Button variant="primary" onClick={() => open({ add: true })}>
          Add card
        </Button>
      }
    >
      {(context) => <OrganizationCards context={context} />}
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
      <QueryTable
        of={cards}
        lines={4}
        title="No cards yet"
        action={administers && <Button onClick={() => open({ add: true })}>Add your first card</Button>}
        label="Cards"
        columns={columnsOf(context, (id) => open({ edit: id }))}
      >
        Offer projects the servers they should use, with the right URLs.
      </QueryTable>
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
  return (
    <span className={css.actions}>
      <Button aria-label={`Edit ${card.name}`} onClick={onEdit}>
        Edit
      </Button>
      <Button aria-label={`${active ? 'Deprecate' : 'Restore'} ${card.name}`} action={turning}>
        {active ? 'Deprecate' : 'Restore'}
      </Button>
      <ConfirmButton
        variant="danger"
        label="Delete"
        aria-label={`Delete ${card.name}`}
        question={`Delete the card ${card.name}?`}
        verb="Delete card"
        write={() => api.deleteOrganizationRegistryServer(which)}
        says={`Card ${card.name} deleted`}
        example={<ApiExample operation="deleteOrganizationRegistryServer" input={which} />}
      >
        <p>
          Projects can no longer install it. Installed servers are not affected. To keep it listed, deprecate
          it instead.
        </p>
      </ConfirmButton>
    </span>
  );
}
