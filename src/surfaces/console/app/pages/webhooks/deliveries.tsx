import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, ask, askPages, type Output, useAction, useInfiniteQuery, useQuery } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/code.tsx';
import { Select } from '../../kit/field.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable, Table } from '../../kit/table.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { deliveryStates } from './address.ts';
import css from './webhooks.module.css';

type Delivery = Output<'listWebhookDeliveries'>['items'][number];
type Attempt = Output<'getWebhookDelivery'>['log'][number];
interface WebhookRef {
  projectId: string;
  webhookId: string;
}

const route = '/projects/$projectId/webhooks/$webhookId';
const marks: Record<Delivery['state'], [State, string]> = {
  delivered: ['passed', 'delivered'],
  pending: ['pending', 'pending'],
  dead: ['failed', 'failed'],
};

export function Deliveries({ which }: { which: WebhookRef }) {
  const { state, delivery: open } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const deliveries = useInfiniteQuery({
    ...askPages('listWebhookDeliveries', { ...which, ...(state && { state }) }),
    refetchInterval: 5_000,
  });
  return (
    <>
      <search className={css.filters}>
        <Select
          aria-label="Delivery state"
          value={state ?? ''}
          onChange={({ target }) =>
            void navigate({
              search: { state: deliveryStates.find((one) => one === target.value) },
              replace: true,
            })
          }
          options={[
            ['', 'All'],
            ['delivered', 'Delivered'],
            ['pending', 'Pending'],
            ['dead', 'Failed'],
          ]}
        />
      </search>
      <QueryTable
        of={deliveries}
        lines={4}
        title={state ? 'No matching deliveries' : 'No deliveries'}
        label="Deliveries"
        columns={columns}
        unfolding={{
          open,
          toggle: (delivery) =>
            void navigate({ search: (before) => ({ ...before, delivery }), replace: true }),
          nameOf: ({ type }) => type,
          content: deliveryDetails(which),
        }}
      >
        Send a test event to check the receiver.
      </QueryTable>
    </>
  );
}

const columns: Column<Delivery>[] = [
  { name: 'Event', main: true, cell: ({ type }) => <code>{type}</code> },
  {
    name: 'State',
    cell: ({ state, attempts }) => {
      const [mark, word] = marks[state];
      return (
        <StateMark state={state === 'pending' && attempts > 0 ? 'attention' : mark}>
          {state === 'pending' && attempts > 0 ? 'retrying' : word}
        </StateMark>
      );
    },
  },
  { name: 'Response', cell: ({ lastStatus, lastError }) => lastError ?? lastStatus },
  { name: 'Attempts', figure: true, cell: ({ attempts }) => attempts },
  { name: 'Occurred', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Next attempt',
    figure: true,
    cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <Time at={nextAttemptAt} />,
  },
];

function deliveryDetails(which: WebhookRef): (delivery: Delivery) => ReactNode {
  return ({ id }) => <Sent which={{ ...which, deliveryId: id }} />;
}

function Sent({ which }: { which: WebhookRef & { deliveryId: string } }) {
  const delivery = useQuery({ ...ask('getWebhookDelivery', which), refetchInterval: 5_000 });
  const again = useAction(() => api.redeliverWebhook(which), { says: 'Queued for redelivery' });
  if (!delivery.isSuccess) return <QueryState of={delivery} lines={3} />;
  const { log, body, eventId } = delivery.data;
  return (
    <>
      <p>
        <code>webhook-id: {eventId}</code> <Button action={again}>Redeliver</Button>
      </p>
      {log.length > 0 && (
        <Table label="Attempts" columns={attempts} rows={log} keyOf={({ at }) => String(at)} />
      )}
      <Json value={body} label="payload" />
    </>
  );
}

const attempts: Column<Attempt>[] = [
  { name: 'Attempt', main: true, cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Response',
    cell: ({ status, error }) => (
      <StateMark state={error === null ? 'passed' : 'failed'}>{error ?? status}</StateMark>
    ),
  },
  { name: 'Duration', figure: true, cell: ({ durationMs }) => duration(durationMs) },
];
