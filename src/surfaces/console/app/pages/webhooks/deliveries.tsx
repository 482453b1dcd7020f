import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/code.tsx';
import { Select } from '../../kit/field.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { type State, StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { duration, Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { deliveryStates } from './address.ts';
import css from './webhooks.module.css';

type Delivery = Output<'listWebhookDeliveries'>['items'][number];
type Attempt = Output<'getWebhookDelivery'>['log'][number];
interface Which {
  projectId: string;
  webhookId: string;
}

const route = '/projects/$projectId/webhooks/$webhookId';
const marks: Record<Delivery['state'], [State, string]> = {
  delivered: ['passed', 'arrived'],
  pending: ['pending', 'waiting'],
  dead: ['failed', 'given up'],
};

export function Deliveries({ which }: { which: Which }) {
  const { state, delivery: open } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const deliveries = useInfiniteQuery({
    ...askPages('listWebhookDeliveries', { ...which, ...(state && { state }) }),
    refetchInterval: 5_000,
  });
  const items = deliveries.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <search className={css.filters}>
        <Select
          aria-label="Which deliveries"
          value={state ?? ''}
          onChange={({ target }) =>
            void navigate({
              search: { state: deliveryStates.find((one) => one === target.value) },
              replace: true,
            })
          }
          options={[
            ['', 'All'],
            ['delivered', 'Arrived'],
            ['pending', 'Waiting'],
            ['dead', 'Given up'],
          ]}
        />
      </search>
      {deliveries.isPending && <Skeleton lines={4} />}
      {deliveries.isError && <Problem error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {deliveries.isSuccess && items.length === 0 && (
        <Empty title="Nothing was sent">Send a test to see whether the receiver answers.</Empty>
      )}
      {items.length > 0 && (
        <Table
          label="Deliveries"
          columns={columns}
          rows={items}
          keyOf={({ id }) => id}
          unfolding={{
            open,
            toggle: (delivery) =>
              void navigate({ search: (before) => ({ ...before, delivery }), replace: true }),
            nameOf: ({ type }) => type,
            content: sentOf(which),
          }}
        />
      )}
      {deliveries.hasNextPage && (
        <Button busy={deliveries.isFetchingNextPage} onClick={() => void deliveries.fetchNextPage()}>
          Show earlier ones
        </Button>
      )}
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
          {state === 'pending' && attempts > 0 ? 'trying again' : word}
        </StateMark>
      );
    },
  },
  { name: 'It said', cell: ({ lastStatus, lastError }) => lastError ?? lastStatus },
  { name: 'Attempts', figure: true, cell: ({ attempts }) => attempts },
  { name: 'Happened', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'Next attempt',
    figure: true,
    cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <Time at={nextAttemptAt} />,
  },
];

function sentOf(which: Which): (delivery: Delivery) => ReactNode {
  return ({ id }) => <Sent which={{ ...which, deliveryId: id }} />;
}

/** What is sent, and how the attempts went. */
function Sent({ which }: { which: Which & { deliveryId: string } }) {
  const delivery = useQuery({ ...ask('getWebhookDelivery', which), refetchInterval: 5_000 });
  const queryClient = useQueryClient();
  const again = useMutation({
    mutationFn: () => api.redeliverWebhook(which),
    onSuccess: async () => {
      say('On its way again');
      await queryClient.invalidateQueries(answersOf('listWebhookDeliveries'));
      await queryClient.invalidateQueries(answersOf('getWebhookDelivery'));
    },
    onError: complain,
  });
  if (delivery.isError) return <Problem error={delivery.error} retry={() => void delivery.refetch()} />;
  if (!delivery.data) return <Skeleton lines={3} />;
  const { log, body, eventId } = delivery.data;
  return (
    <>
      <p>
        <code>webhook-id: {eventId}</code>{' '}
        <Button onClick={() => again.mutate()} busy={again.isPending}>
          Send again
        </Button>
      </p>
      {log.length > 0 && (
        <Table label="Attempts" columns={attempts} rows={log} keyOf={({ at }) => String(at)} />
      )}
      <Json value={body} label="what is sent" />
    </>
  );
}

const attempts: Column<Attempt>[] = [
  { name: 'Attempt', main: true, cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Answer',
    cell: ({ status, error }) => (
      <StateMark state={error === null ? 'passed' : 'failed'}>{error ?? status}</StateMark>
    ),
  },
  { name: 'Took', figure: true, cell: ({ durationMs }) => duration(durationMs) },
];
