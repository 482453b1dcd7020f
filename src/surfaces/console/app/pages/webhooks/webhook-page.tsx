import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, type Output, useAction, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Confirm, ConfirmButton } from '../../kit/confirm.tsx';
import { DialogButton } from '../../kit/dialog-button.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Page, Section } from '../../kit/page.tsx';
import { LoadingPage } from '../../kit/query-state.tsx';
import { OneTimeSecretDialog } from '../organization/one-time-secret-dialog.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookState } from './webhooks-page.tsx';

type Webhook = Output<'getWebhook'>;

const route = '/projects/$projectId/webhooks/$webhookId';
const dayMs = 86_400_000;

export function WebhookPage() {
  const which = useParams({ from: route });
  const { projectId } = which;
  const webhook = useQuery({ ...ask('getWebhook', which), refetchInterval: 5_000 });
  const crumbs = [
    <Link key="all" to="/projects/$projectId/webhooks" params={{ projectId }}>
      Webhooks
    </Link>,
  ];
  if (!webhook.data) return <LoadingPage of={webhook} title="Webhook" crumbs={crumbs} lines={5} />;
  const { data } = webhook;
  return (
    <Page
      title={data.name}
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

/** Actions on a webhook: test, edit, rotate its secret, disable and delete. */
function Actions({ webhook }: { webhook: Webhook }) {
  const which = { projectId: webhook.projectId, webhookId: webhook.id };
  const { edit } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const testing = useAction(() => api.testWebhook(which), { says: 'Test event sent' });
  const turning = useAction(() => api.updateWebhook({ ...which, body: { enabled: !webhook.enabled } }));
  const open = (wanted: boolean): void =>
    void navigate({ search: wanted ? { edit: true } : {}, replace: !wanted });
  return (
    <>
      <ApiExample operation="testWebhook" input={which} />
      <Button action={testing} disabled={!webhook.enabled}>
        Send test
      </Button>
      <Button onClick={() => open(true)}>Edit</Button>
      <DialogButton renderDialog={(close) => <NewSecret webhook={webhook} onClose={close} />}>
        Rotate secret
      </DialogButton>
      <Button action={turning}>{webhook.enabled ? 'Disable' : 'Enable'}</Button>
      <DeleteWebhook webhook={webhook} />
      {edit && <WebhookForm projectId={webhook.projectId} webhook={webhook} onClose={() => open(false)} />}
    </>
  );
}

function NewSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const input = { projectId: webhook.projectId, webhookId: webhook.id, body: { keepOldHours: 24 } };
  const rotating = useAction(() => api.rotateWebhookSecret(input));
  if (rotating.data)
    return (
      <OneTimeSecretDialog
        title={`New secret of ${webhook.name}`}
        value={rotating.data.secret}
        label="secret"
        onClose={onClose}
      >
        <p>Deliveries are signed with both secrets for 24 hours. The new secret is not shown again.</p>
      </OneTimeSecretDialog>
    );
  return (
    <Confirm
      onClose={onClose}
      title={`Rotate the secret of ${webhook.name}?`}
      verb="Rotate secret"
      action={rotating}
      example={<ApiExample operation="rotateWebhookSecret" input={input} />}
    >
      <p>The old secret stays valid for 24 hours so that you can update the receiver.</p>
    </Confirm>
  );
}

function DeleteWebhook({ webhook: { projectId, id: webhookId, name, pending } }: { webhook: Webhook }) {
  const navigate = useNavigate();
  const input = { projectId, webhookId };
  return (
    <ConfirmButton
      variant="danger"
      label="Delete"
      question={`Delete ${name}?`}
      verb="Delete webhook"
      write={() => api.deleteWebhook(input)}
      says={`Webhook ${name} deleted`}
      onDone={() => navigate({ to: '/projects/$projectId/webhooks', params: { projectId } })}
      example={<ApiExample operation="deleteWebhook" input={input} />}
    >
      <p>
        Deliveries stop
        {pending > 0 && `, including the ${counted(pending, 'event')} pending`}. The delivery history is
        deleted.
      </p>
    </ConfirmButton>
  );
}

function Replay({ webhook }: { webhook: Webhook }) {
  const [since] = useState(() => Date.now() - 30 * dayMs);
  const input = { projectId: webhook.projectId, webhookId: webhook.id, body: { since } };
  const replaying = useAction(() => api.replayWebhook(input), {
    says: ({ count }) => `${counted(count, 'event')} queued for redelivery`,
  });
  return (
    <>
      <ApiExample operation="replayWebhook" input={input} />
      <Button action={replaying} disabled={!webhook.enabled}>
        Redeliver failed
      </Button>
    </>
  );
}
