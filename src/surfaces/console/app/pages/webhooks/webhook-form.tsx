import { useState } from 'react';
import { type EventType, eventTypes } from '../../../../../contract/event-types.ts';
import { api, type Output, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Choices } from '../../kit/choices.tsx';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { toastSuccess } from '../../kit/toast.tsx';
import { OneTimeSecretDialog } from '../organization/one-time-secret-dialog.tsx';

type Webhook = Output<'getWebhook'>;

const types = Object.entries(eventTypes) as [EventType, string][];

/** Creates a webhook and shows its secret once, or edits one. The full URL is never shown again. */
export function WebhookForm({
  projectId,
  webhook,
  onClose,
}: {
  projectId: string;
  webhook?: Webhook;
  onClose: () => void;
}) {
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>(webhook?.events ?? types.map(([type]) => type));
  const fields = { name: name.trim(), events: events as EventType[] };
  const create = { projectId, body: { ...fields, url } };
  const update = {
    projectId,
    webhookId: webhook?.id ?? '',
    body: { ...fields, ...(url !== '' && { url }) },
  };
  const saving = useSubmit(
    (): Promise<Webhook & { secret?: string }> =>
      webhook ? api.updateWebhook(update) : api.createWebhook(create),
    {
      onDone: (saved) => {
        if (saved.secret !== undefined) return;
        toastSuccess(`Webhook ${saved.name} saved`);
        onClose();
      },
    },
  );
  if (saving.data?.secret !== undefined)
    return (
      <OneTimeSecretDialog
        title={`Secret of ${saving.data.name}`}
        value={saving.data.secret}
        label="secret"
        onClose={onClose}
      >
        <p>
          Deliveries are signed with it (Standard Webhooks). Copy it to the receiver now: it is not shown
          again.
        </p>
      </OneTimeSecretDialog>
    );
  return (
    <FormDialog
      title={webhook ? `Edit ${webhook.name}` : 'New webhook'}
      verb={webhook ? 'Save changes' : 'Create webhook'}
      action={saving}
      blocked={fields.name === '' || events.length === 0 || (!webhook && url === '')}
      onClose={onClose}
      example={
        webhook ? (
          <ApiExample operation="updateWebhook" input={update} />
        ) : (
          <ApiExample operation="createWebhook" input={create} />
        )
      }
    >
      <TextField
        label="Name"
        required
        hint="The receiver, for example CI."
        value={name}
        maxLength={200}
        onChange={setName}
      />
      <TextField
        label="URL"
        required={!webhook}
        hint={webhook ? `Leave empty to keep ${webhook.url} .` : 'Events are posted to this URL.'}
        type="url"
        inputMode="url"
        spellCheck={false}
        placeholder="https://"
        value={url}
        onChange={setUrl}
      />
      <Choices
        legend="Events"
        choices={types.map(([value, hint]) => ({ value, name: <code>{value}</code>, hint }))}
        chosen={events}
        onChange={setEvents}
        none="No event types."
        hintsBelow
      />
    </FormDialog>
  );
}
