import { useState } from 'react';
import { api, type Output, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';

type Secret = Output<'getSecret'>;

/** Creates a secret, or replaces its value or delivery. Stored values are never shown. */
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
  const saving = useSubmit(
    () =>
      secret
        ? api.updateSecret({
            projectId,
            secretId: secret.id,
            body: { ...update, ...(value !== '' && { value }) },
          })
        : api.createSecret({ projectId, body: { ...create, value } }),
    { says: (saved) => `Secret ${saved.name} saved`, onDone: onClose },
  );
  const blocked = secret
    ? value === '' && Object.keys(update).length === 0
    : name === '' || value === '' || (delivery === 'brokered' && brokerHosts.length === 0);
  return (
    <FormDialog
      title={secret ? `Replace ${secret.name}` : 'New secret'}
      verb={secret ? 'Save changes' : 'Store secret'}
      action={saving}
      blocked={blocked}
      onClose={onClose}
      example={
        secret ? (
          <ApiExample
            operation="updateSecret"
            input={{
              projectId,
              secretId: secret.id,
              body: { ...update, ...(value !== '' && { value: '…' }) },
            }}
          />
        ) : (
          <ApiExample operation="createSecret" input={{ projectId, body: { ...create, value: '…' } }} />
        )
      }
    >
      {!secret && (
        <TextField
          label="Name"
          required
          hint="Uppercase, like API_TOKEN. It cannot be changed later."
          value={name}
          spellCheck={false}
          onChange={(text) => setName(text.toUpperCase())}
        />
      )}
      <TextField
        label="Value"
        required={!secret}
        hint={secret ? 'Leave empty to keep the stored value.' : 'Stored encrypted, never shown again.'}
        type="password"
        autoComplete="new-password"
        value={value}
        onChange={setValue}
      />
      <TextField label="Description" value={description} onChange={setDescription} />
      <SelectField
        label="Pass as"
        value={delivery}
        options={[
          ['materialized', 'Environment variable'],
          ['brokered', 'Header added to requests to listed hosts; the run never sees it'],
        ]}
        onChange={setDelivery}
      />
      {delivery === 'brokered' && (
        <>
          <TextField
            label="Hosts"
            required
            hint="For example api.example.com. Separate several with commas."
            value={hosts}
            onChange={setHosts}
          />
          <TextField label="Header" required value={header} onChange={setHeader} />
          <TextField
            label="Header value"
            required
            hint="{} is replaced by the secret."
            value={template}
            onChange={setTemplate}
          />
        </>
      )}
      {!secret && (
        <SelectField
          label="Scope"
          value={sharing}
          options={[
            ['project', 'Project: members can use it, administrators can change it'],
            ['user', 'Personal: only you'],
          ]}
          onChange={setSharing}
        />
      )}
    </FormDialog>
  );
}
