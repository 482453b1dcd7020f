import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import { WebhookForm } from './webhook-form.tsx';

type Webhook = Output<'listWebhooks'>['items'][number];

const route = '/projects/$projectId/webhooks';

export function WebhooksPage() {
  const { projectId } = useParams({ from: route });
  const { add } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const webhooks = useQuery({ ...ask('listWebhooks', { projectId }), refetchInterval: 10_000 });
  const items = webhooks.data?.items ?? [];
  const open = (wanted: boolean): void =>
    void navigate({ search: wanted ? { add: true } : {}, replace: !wanted });
  const create = (
    <Button look="primary" onClick={() => open(true)}>
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      name="Webhooks"
      actions={
        <>
          <Same operation="listWebhooks" input={{ projectId }} />
          {items.length > 0 && create}
        </>
      }
    >
      {webhooks.isPending && <Skeleton lines={4} />}
      {webhooks.isError && <Problem error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.isSuccess && items.length === 0 && (
        <Empty title="No webhook yet" action={create}>
          Have what happens here sent to a URL of yours: a run was decided, a gate changed, a finding is new,
          a server stopped working. Signed, and again until it arrives.
        </Empty>
      )}
      {items.length > 0 && (
        <Table label="Webhooks" columns={columnsOf(projectId)} rows={items} keyOf={({ id }) => id} />
      )}
      {add && <WebhookForm projectId={projectId} onClose={() => open(false)} />}
    </Page>
  );
}

function columnsOf(projectId: string): Column<Webhook>[] {
  return [
    {
      name: 'Name',
      main: true,
      cell: ({ id, name }) => (
        <Link to="/projects/$projectId/webhooks/$webhookId" params={{ projectId, webhookId: id }}>
          {name}
        </Link>
      ),
    },
    { name: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
    { name: 'URL', cell: ({ url }) => <code>{url}</code> },
    {
      name: 'Told of',
      cell: ({ events }) => <span title={events.join(', ')}>{counted(events.length, 'event')}</span>,
    },
    { name: 'Waiting', figure: true, cell: ({ pending }) => pending > 0 && count(pending) },
    { name: 'Given up', figure: true, cell: ({ dead }) => dead > 0 && count(dead) },
    {
      name: 'Last delivery',
      figure: true,
      cell: ({ lastDeliveredAt }) => (lastDeliveredAt === null ? 'none yet' : <Time at={lastDeliveredAt} />),
    },
  ];
}

export function WebhookState({ webhook: { enabled, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (!enabled)
    return (
      <span title={disabledReason ?? undefined}>
        <StateMark state={disabledReason === null ? 'skipped' : 'attention'}>switched off</StateMark>
      </span>
    );
  if (failingSince !== null)
    return (
      <StateMark state="failed">
        failing since <Time at={failingSince} />
      </StateMark>
    );
  return <StateMark state="passed">works</StateMark>;
}
