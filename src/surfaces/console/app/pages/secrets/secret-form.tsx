import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';

type Secret = Output<'getSecret'>;

/** Stores a secret, or gives one a new value or another way to be handed over. What is stored is not shown. */
export function SecretForm({
  projectId,
  secret,
  onClose,
}: {
  projectId: string;
  secret?: Secret;
  onClose: () => void;
}) {
  const [name, setName] = useState(secret?.name ?? '');
  const [value, setValue] = useState('');
  const [description, setDescription] = useState(secret?.description ?? '');
  const [delivery, setDelivery] = useState(secret?.delivery ?? 'materialized');
  const [hosts, setHosts] = useState((secret?.brokerHosts ?? []).join(', '));
  const [header, setHeader] = useState(secret?.brokerHeader ?? 'Authorization');
  const [template, setTemplate] = useState(secret?.brokerTemplate ?? 'Bearer {}');
  const [sharing, setSharing] = useState<'project' | 'user'>('project');
  const queryClient = useQueryClient();
  const brokerHosts = hosts.split(/[\s,]+/).filter(Boolean);
  const binding =
    delivery === 'brokered' ? { brokerHosts, brokerHeader: header, brokerTemplate: template } : {};
  const rebound =
    secret !== undefined &&
    (delivery !== secret.delivery ||
      (delivery === 'brokered' &&
        (brokerHosts.join() !== secret.brokerHosts?.join() ||
          header !== secret.brokerHeader ||
          template !== secret.brokerTemplate)));
  const create = { name, delivery, ...(description !== '' && { description }), ...binding, sharing };
  const update = {
    ...(description !== (secret?.description ?? '') && { description: description || null }),
    ...(rebound && { delivery, ...binding }),
  };
  const saving = useMutation({
    mutationFn: () =>
      secret
        ? api.updateSecret({
            projectId,
            secretId: secret.id,
            body: { ...update, ...(value !== '' && { value }) },
          })
        : api.createSecret({ projectId, body: { ...create, value } }),
    onSuccess: async (saved) => {
      say(`Secret ${saved.name} stored`);
      await queryClient.invalidateQueries(answersOf('listSecrets'));
      onClose();
    },
  });
  const blocked = secret
    ? value === '' && Object.keys(update).length === 0
    : name === '' || value === '' || (delivery === 'brokered' && brokerHosts.length === 0);
  return (
    <FormDialog
      title={secret ? `Replace ${secret.name}` : 'New secret'}
      verb={secret ? 'Save changes' : 'Store secret'}
      busy={saving.isPending}
      error={saving.error}
      blocked={blocked}
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={
        secret ? (
          <Same
            operation="updateSecret"
            input={{
              projectId,
              secretId: secret.id,
              body: { ...update, ...(value !== '' && { value: '…' }) },
            }}
          />
        ) : (
          <Same operation="createSecret" input={{ projectId, body: { ...create, value: '…' } }} />
        )
      }
    >
      {!secret && (
        <Field label="Name" needed hint="In capitals, like API_TOKEN. It cannot be changed later.">
          <TextInput
            value={name}
            spellCheck={false}
            onChange={({ target }) => setName(target.value.toUpperCase())}
          />
        </Field>
      )}
      <Field
        label="Value"
        needed={!secret}
        hint={secret ? 'Left empty, the stored one stays.' : 'Stored encrypted, never shown again.'}
      >
        <TextInput
          type="password"
          autoComplete="new-password"
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      </Field>
      <Field label="Description">
        <TextInput value={description} onChange={({ target }) => setDescription(target.value)} />
      </Field>
      <Field label="Handed over">
        <Select
          value={delivery}
          onChange={({ target }) => setDelivery(target.value as typeof delivery)}
          options={[
            ['materialized', 'As a variable of the run'],
            ['brokered', 'In a header to certain hosts, never seen by the run'],
          ]}
        />
      </Field>
      {delivery === 'brokered' && (
        <>
          <Field label="Hosts" needed hint="Like api.example.com; several with commas between.">
            <TextInput value={hosts} onChange={({ target }) => setHosts(target.value)} />
          </Field>
          <Field label="Header" needed>
            <TextInput value={header} onChange={({ target }) => setHeader(target.value)} />
          </Field>
          <Field label="Content of the header" needed hint="{} stands for the value.">
            <TextInput value={template} onChange={({ target }) => setTemplate(target.value)} />
          </Field>
        </>
      )}
      {!secret && (
        <Field label="For">
          <Select
            value={sharing}
            onChange={({ target }) => setSharing(target.value as typeof sharing)}
            options={[
              ['project', 'The project: members use it, administrators change it'],
              ['user', 'Only you'],
            ]}
          />
        </Field>
      )}
    </FormDialog>
  );
}
