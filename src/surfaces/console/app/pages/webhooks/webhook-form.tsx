import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type EventType, eventTypes } from '../../../../../contract/event-types.ts';
import type { Output } from '../../../../client/index.ts';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Choices } from '../../kit/choices.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { Once } from '../organization/once.tsx';

type Webhook = Output<'getWebhook'>;

const types = Object.entries(eventTypes) as [EventType, string][];

/** Makes a webhook and shows its secret this once, or changes one. Where it goes is not shown in full again. */
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
  const queryClient = useQueryClient();
  const fields = { name: name.trim(), events: events as EventType[] };
  const create = { projectId, body: { ...fields, url } };
  const update = {
    projectId,
    webhookId: webhook?.id ?? '',
    body: { ...fields, ...(url !== '' && { url }) },
  };
  const saving = useMutation<Webhook & { secret?: string }>({
    mutationFn: () => (webhook ? api.updateWebhook(update) : api.createWebhook(create)),
    onSuccess: async (saved) => {
      await Promise.all(
        (['listWebhooks', 'getWebhook'] as const).map((id) => queryClient.invalidateQueries(answersOf(id))),
      );
      if (saved.secret === undefined) {
        say(`Webhook ${saved.name} changed`);
        onClose();
      }
    },
    // What is shown once is kept nowhere else.
    gcTime: 0,
  });
  if (saving.data?.secret !== undefined)
    return (
      <Once
        title={`The secret of ${saving.data.name}`}
        value={saving.data.secret}
        label="secret"
        onClose={onClose}
      >
        <p>
          Deliveries are signed with it as the Standard Webhooks say. Give it to the receiver now: it is not
          shown again.
        </p>
      </Once>
    );
  return (
    <FormDialog
      title={webhook ? `Change ${webhook.name}` : 'New webhook'}
      verb={webhook ? 'Save changes' : 'Create webhook'}
      busy={saving.isPending}
      error={saving.error}
      blocked={fields.name === '' || events.length === 0 || (!webhook && url === '')}
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={
        webhook ? (
          <Same operation="updateWebhook" input={update} />
        ) : (
          <Same operation="createWebhook" input={create} />
        )
      }
    >
      <Field label="Name" needed hint="What receives it, like CI.">
        <TextInput value={name} maxLength={200} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field
        label="URL"
        needed={!webhook}
        hint={webhook ? `Left empty, ${webhook.url} stays.` : 'Where events are posted to.'}
      >
        <TextInput
          type="url"
          inputMode="url"
          spellCheck={false}
          placeholder="https://"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
      </Field>
      <Choices
        legend="Told of"
        choices={types.map(([value, hint]) => ({ value, name: <code>{value}</code>, hint }))}
        chosen={events}
        onChange={setEvents}
        none="There is nothing to tell of."
        told
      />
    </FormDialog>
  );
}
