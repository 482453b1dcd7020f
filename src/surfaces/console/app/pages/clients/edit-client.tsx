import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Input, Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Changes } from '../../kit/changes.tsx';
import { Choices, Switch } from '../../kit/choices.tsx';
import { Field, Select, TextArea, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { impactWords, serverWords } from './words.ts';

export type Client = Output<'getClient'>;
type Config = Record<string, unknown>;

/** Edits a client as fields and as JSON; what follows the edit is said before it is saved. */
export function EditClient({
  projectId,
  client,
  onClose,
}: {
  projectId: string;
  client: Client;
  onClose: () => void;
}) {
  const [name, setName] = useState(client.name);
  const [config, setConfig] = useState<Config>(client.config);
  const [text, setText] = useState<string>();
  const servers = useQuery(ask('listProjectServers', { projectId }));
  const queryClient = useQueryClient();
  const shown = text ?? JSON.stringify(config, null, 2);
  const problem = text === undefined ? undefined : problemOf(text);
  const edited = JSON.stringify(config) !== JSON.stringify(client.config);
  const body = {
    ...(name !== client.name && { name, expectedName: client.name }),
    ...(edited && { config, expectedConfigId: client.configId, expectedImpact: client.impact }),
  } as Input<'updateClient'>['body'];
  const saving = useMutation({
    mutationFn: () => api.updateClient({ projectId, client: client.id, body }),
    onSuccess: async (saved) => {
      say(`Client ${saved.name} saved`);
      for (const id of ['listClients', 'getClient', 'resolveEnvironment'] as const)
        await queryClient.invalidateQueries(answersOf(id));
      onClose();
    },
  });
  const set = (changed: Config): void => {
    setConfig({ ...config, ...changed });
    setText(undefined);
  };
  const type = (next: string): void => {
    setText(next);
    if (problemOf(next) === undefined) setConfig(JSON.parse(next) as Config);
  };
  return (
    <FormDialog
      title={`Edit ${client.name}`}
      verb="Save changes"
      busy={saving.isPending}
      error={saving.error}
      blocked={Object.keys(body).length === 0 || name.trim() === '' || problem !== undefined}
      wide
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={<Same operation="updateClient" input={{ projectId, client: client.id, body }} />}
    >
      <Field label="Name" needed>
        <TextInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Settings servers={servers.data?.items ?? []} config={config} set={set} />
      <details>
        <summary>Whole configuration as JSON</summary>
        <Field label="Configuration" problem={problem}>
          <TextArea
            rows={14}
            value={shown}
            aria-invalid={problem !== undefined}
            onChange={({ target }) => type(target.value)}
          />
        </Field>
      </details>
      {edited && (
        <>
          <p>{impactWords(client.impact)}</p>
          <Changes
            label="What will change"
            before={client.config}
            after={config}
            words={serverWords(servers.data?.items ?? [])}
          />
        </>
      )}
    </FormDialog>
  );
}

function Settings({
  servers,
  config,
  set,
}: {
  servers: Output<'listProjectServers'>['items'];
  config: Config;
  set: (changed: Config) => void;
}) {
  const models = useQuery(ask('listModels', {}));
  const model = String(config['modelId']);
  const known = (models.data?.items ?? []).map(({ id, name }) => [id, `${name} (${id})`] as const);
  return (
    <>
      <Field label="Model">
        <Select
          value={model}
          onChange={({ target }) => set({ modelId: target.value })}
          options={known.some(([id]) => id === model) ? known : [[model, model], ...known]}
        />
      </Field>
      <Field label="System prompt">
        <TextArea
          rows={4}
          value={typeof config['systemPrompt'] === 'string' ? config['systemPrompt'] : ''}
          onChange={({ target }) => set({ systemPrompt: target.value })}
        />
      </Field>
      <Field label="Temperature" hint="0 to 2">
        <TextInput
          type="number"
          min={0}
          max={2}
          step={0.1}
          value={String(Number(config['temperature'] ?? 0))}
          onChange={({ target }) => set({ temperature: Number(target.value) })}
        />
      </Field>
      <Choices
        legend="Servers that must connect"
        none="No server is saved in this project."
        choices={servers.map(({ id, name, url }) => ({ value: id, name, hint: url }))}
        chosen={Array.isArray(config['serverIds']) ? (config['serverIds'] as string[]) : []}
        onChange={(serverIds) => set({ serverIds })}
      />
      <Switch
        label="Tools need approval"
        checked={config['requireToolApproval'] === true}
        onChange={(requireToolApproval) => set({ requireToolApproval })}
      />
    </>
  );
}

function problemOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'A configuration is a JSON object';
  } catch (error) {
    return (error as Error).message;
  }
}
