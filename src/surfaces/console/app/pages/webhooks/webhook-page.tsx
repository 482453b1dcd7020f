import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Page, Section } from '../../kit/page.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { Once } from '../organization/once.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhooks-page.tsx';

type Webhook = Output<'getWebhook'>;

const route = '/projects/$projectId/webhooks/$webhookId';
const day = 86_400_000;

export function WebhookPage() {
  const which = useParams({ from: route });
  const { projectId } = which;
  const webhook = useQuery({ ...ask('getWebhook', which), refetchInterval: 5_000 });
  const crumbs = [
    <Link key="all" to="/projects/$projectId/webhooks" params={{ projectId }}>
      Webhooks
    </Link>,
  ];
  if (!webhook.data)
    return (
      <Page title="Webhook" name="Webhook" crumbs={crumbs}>
        {webhook.isError ? (
          <Problem error={webhook.error} retry={() => void webhook.refetch()} />
        ) : (
          <Skeleton lines={5} />
        )}
      </Page>
    );
  const { data } = webhook;
  return (
    <Page
      title={data.name}
      name={data.name}
      crumbs={crumbs}
      mark={<WebhookState webhook={data} />}
      actions={<Actions webhook={data} />}
    >
      {data.disabledReason !== null && <Note>{data.disabledReason}.</Note>}
      <p>
        Posts {counted(data.events.length, 'type')} of event to <code>{data.url}</code>
      </p>
      <Section title="Deliveries" actions={data.dead > 0 && <Replay webhook={data} />}>
        <Deliveries which={which} />
      </Section>
    </Page>
  );
}

/** Everything but reading the deliveries. */
function Actions({ webhook }: { webhook: Webhook }) {
  const which = { projectId: webhook.projectId, webhookId: webhook.id };
  const { edit } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const [asking, setAsking] = useState<'delete' | 'rotate'>();
  const queryClient = useQueryClient();
  const changed = () =>
    Promise.all(
      (['getWebhook', 'listWebhooks', 'listWebhookDeliveries'] as const).map((id) =>
        queryClient.invalidateQueries(answersOf(id)),
      ),
    );
  const testing = useMutation({
    mutationFn: () => api.testWebhook(which),
    onSuccess: async () => {
      say('A test is on its way');
      await changed();
    },
    onError: complain,
  });
  const turning = useMutation({
    mutationFn: () => api.updateWebhook({ ...which, body: { enabled: !webhook.enabled } }),
    onSuccess: changed,
    onError: complain,
  });
  const open = (wanted: boolean): void =>
    void navigate({ search: wanted ? { edit: true } : {}, replace: !wanted });
  return (
    <>
      <Same operation="testWebhook" input={which} />
      <Button onClick={() => testing.mutate()} busy={testing.isPending} disabled={!webhook.enabled}>
        Send a test
      </Button>
      <Button onClick={() => open(true)}>Change</Button>
      <Button onClick={() => setAsking('rotate')}>New secret</Button>
      <Button onClick={() => turning.mutate()} busy={turning.isPending}>
        {webhook.enabled ? 'Switch off' : 'Switch on'}
      </Button>
      <Button look="danger" onClick={() => setAsking('delete')}>
        Delete
      </Button>
      {edit && <WebhookForm projectId={webhook.projectId} webhook={webhook} onClose={() => open(false)} />}
      {asking === 'rotate' && <NewSecret webhook={webhook} onClose={() => setAsking(undefined)} />}
      {asking === 'delete' && <DeleteWebhook webhook={webhook} onClose={() => setAsking(undefined)} />}
    </>
  );
}

function NewSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const input = { projectId: webhook.projectId, webhookId: webhook.id, body: { keepOldHours: 24 } };
  const rotating = useMutation({
    mutationFn: () => api.rotateWebhookSecret(input),
    onError: complain,
    // What is shown once is kept nowhere else.
    gcTime: 0,
  });
  if (rotating.data)
    return (
      <Once
        title={`The new secret of ${webhook.name}`}
        value={rotating.data.secret}
        label="secret"
        onClose={onClose}
      >
        <p>For a day deliveries are signed with both. It is not shown again.</p>
      </Once>
    );
  return (
    <Confirm
      onClose={onClose}
      title={`Replace the secret of ${webhook.name}?`}
      verb="Make a new secret"
      busy={rotating.isPending}
      same={<Same operation="rotateWebhookSecret" input={input} />}
      onConfirm={() => rotating.mutate()}
      lost={<p>The old one works for another day, so that the receiver can be changed meanwhile.</p>}
    />
  );
}

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { projectId, id: webhookId, name, pending } = webhook;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => api.deleteWebhook({ projectId, webhookId }),
    onSuccess: async () => {
      say(`Webhook ${name} deleted`);
      await queryClient.invalidateQueries(answersOf('listWebhooks'));
      await navigate({ to: '/projects/$projectId/webhooks', params: { projectId } });
    },
    onError: complain,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete webhook"
      busy={deleting.isPending}
      same={<Same operation="deleteWebhook" input={{ projectId, webhookId }} />}
      onConfirm={() => deleting.mutate()}
      lost={
        <p>
          Nothing is sent there any more
          {pending > 0 && `, also not the ${counted(pending, 'event')} that wait`}. What was delivered can no
          longer be looked up.
        </p>
      }
    />
  );
}

/** Those of the last 30 days that were given up. */
function Replay({ webhook }: { webhook: Webhook }) {
  const [since] = useState(() => Date.now() - 30 * day);
  const input = { projectId: webhook.projectId, webhookId: webhook.id, body: { since } };
  const queryClient = useQueryClient();
  const replaying = useMutation({
    mutationFn: () => api.replayWebhook(input),
    onSuccess: async ({ count }) => {
      say(`${counted(count, 'event')} on the way again`);
      await queryClient.invalidateQueries(answersOf('getWebhook'));
      await queryClient.invalidateQueries(answersOf('listWebhookDeliveries'));
    },
    onError: complain,
  });
  return (
    <>
      <Same operation="replayWebhook" input={input} />
      <Button onClick={() => replaying.mutate()} busy={replaying.isPending} disabled={!webhook.enabled}>
        Send what was given up
      </Button>
    </>
  );
}
