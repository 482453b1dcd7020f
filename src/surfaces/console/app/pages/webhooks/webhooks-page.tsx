import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
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
    <Button variant="primary" onClick={() => open(true)}>
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      actions={
        <>
          <ApiExample operation="listWebhooks" input={{ projectId }} />
          {items.length > 0 && create}
        </>
      }
    >
      <QueryTable
        of={webhooks}
        lines={4}
        title="No webhooks yet"
        action={create}
        label="Webhooks"
        columns={columnsOf(projectId)}
      >
        Webhooks post events to your URL: run decided, gate changed, new finding, server down. Deliveries are
        signed and retried.
      </QueryTable>
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
      name: 'Events',
      cell: ({ events }) => <span title={events.join(', ')}>{counted(events.length, 'event type')}</span>,
    },
    { name: 'Pending', figure: true, cell: ({ pending }) => pending > 0 && count(pending) },
    { name: 'Failed', figure: true, cell: ({ dead }) => dead > 0 && count(dead) },
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
        <StateMark state={disabledReason === null ? 'skipped' : 'attention'}>disabled</StateMark>
      </span>
    );
  if (failingSince !== null)
    return (
      <StateMark state="failed">
        failing since <Time at={failingSince} />
      </StateMark>
    );
  return <StateMark state="passed">active</StateMark>;
}
