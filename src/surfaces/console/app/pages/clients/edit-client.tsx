import { useState } from 'react';
import { api, ask, type Input, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Changes } from '../../kit/changes.tsx';
import { Choices, Switch } from '../../kit/choices.tsx';
import { AreaField, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { impactText, serverText } from './labels.ts';

export type Client = Output<'getClient'>;
type Config = Record<string, unknown>;

/** Edits a client as fields and as JSON. Shows the impact of the edit before it is saved. */
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
  const shown = text ?? JSON.stringify(config, null, 2);
  const problem = text === undefined ? undefined : problemOf(text);
  const edited = JSON.stringify(config) !== JSON.stringify(client.config);
  const body = {
    ...(name !== client.name && { name, expectedName: client.name }),
    ...(edited && { config, expectedConfigId: client.configId, expectedImpact: client.impact }),
  } as Input<'updateClient'>['body'];
  const saving = useSubmit(() => api.updateClient({ projectId, client: client.id, body }), {
    says: (saved) => `Client ${saved.name} saved`,
    onDone: onClose,
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
      action={saving}
      blocked={Object.keys(body).length === 0 || name.trim() === '' || problem !== undefined}
      wide
      onClose={onClose}
      example={<ApiExample operation="updateClient" input={{ projectId, client: client.id, body }} />}
    >
      <TextField label="Name" required value={name} onChange={setName} />
      <Settings servers={servers.data?.items ?? []} config={config} set={set} />
      <details>
        <summary>Full configuration as JSON</summary>
        <AreaField
          label="Configuration"
          problem={problem}
          rows={14}
          value={shown}
          aria-invalid={problem !== undefined}
          onChange={type}
        />
      </details>
      {edited && (
        <>
          <p>{impactText(client.impact)}</p>
          <Changes
            label="Changes"
            before={client.config}
            after={config}
            words={serverText(servers.data?.items ?? [])}
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
      <SelectField
        label="Model"
        value={model}
        options={known.some(([id]) => id === model) ? known : [[model, model], ...known]}
        onChange={(value) => set({ modelId: value })}
      />
      <AreaField
        label="System prompt"
        rows={4}
        value={typeof config['systemPrompt'] === 'string' ? config['systemPrompt'] : ''}
        onChange={(text) => set({ systemPrompt: text })}
      />
      <TextField
        label="Temperature"
        hint="0 to 2"
        type="number"
        min={0}
        max={2}
        step={0.1}
        value={String(Number(config['temperature'] ?? 0))}
        onChange={(text) => set({ temperature: Number(text) })}
      />
      <Choices
        legend="Required servers"
        none="This project has no servers."
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
      : 'The configuration must be a JSON object';
  } catch (error) {
    return (error as Error).message;
  }
}
