import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { Choices } from '../../kit/choices.tsx';
import { Field, Select, TextArea, TextInput } from '../../kit/field.tsx';
import { Fold } from '../../kit/fold.tsx';
import form from '../../kit/form.module.css';
import { TabButtons } from '../../kit/tabs.tsx';
import css from './chat.module.css';
import { ClientField } from './limits.tsx';
import type { Body } from './turn-state.ts';

type Model = Output<'listModels'>['items'][number];
type Server = Output<'listProjectServers'>['items'][number];

/** What was chosen for a chat; what was not is decided when it is sent. */
export interface Settings {
  modelId: string | undefined;
  target: 'servers' | 'environment';
  serverIds: string[] | undefined;
  environmentId: string;
  hostId: string;
  toolMode: 'read_only' | 'auto';
  systemPrompt: string;
  temperature: string;
}

export const unset: Settings = {
  modelId: undefined,
  target: 'servers',
  serverIds: undefined,
  environmentId: '',
  hostId: '',
  toolMode: 'read_only',
  systemPrompt: '',
  temperature: '',
};

/** A chat takes no keys along, so that only models of this deployment can be asked. */
function usable(models: readonly Model[]): Model[] {
  return models.filter(({ hosted, offline }) => hosted || offline);
}

/** A language model where there is one, and the first server. */
function filled(settings: Settings, models: readonly Model[], servers: readonly Server[]) {
  const able = usable(models);
  return {
    modelId: settings.modelId ?? (able.find(({ offline }) => !offline) ?? able[0])?.id,
    serverIds:
      settings.serverIds ??
      servers
        .filter(({ enabled }) => enabled)
        .slice(0, 1)
        .map(({ id }) => id),
  };
}

function settingsBody(
  settings: Settings,
  { models, servers }: { models: readonly Model[]; servers: readonly Server[] },
): Partial<Body> {
  const { target, environmentId, hostId, toolMode, systemPrompt, temperature } = settings;
  const { modelId, serverIds } = filled(settings, models, servers);
  const inEnvironment = target === 'environment' && environmentId !== '';
  return {
    ...(modelId !== undefined && { modelId }),
    ...(inEnvironment && { environmentId }),
    ...(target === 'servers' && serverIds.length > 0 && { serverIds }),
    ...(target === 'servers' && hostId !== '' && { hostId }),
    toolMode,
    ...(systemPrompt.trim() !== '' && { systemPrompt }),
    ...(temperature !== '' && { temperature: Number(temperature) }),
  };
}

/** What a message says of it, with the lists that it is chosen from. */
export function useSettings(projectId: string, settings: Settings, enabled = true) {
  const models = useQuery({ ...ask('listModels', {}), enabled }).data?.items;
  const servers = useQuery({ ...ask('listProjectServers', { projectId }), enabled }).data?.items;
  const chosen = settingsBody(settings, { models: models ?? [], servers: servers ?? [] });
  return { chosen, models, servers };
}

const modeWords = {
  read_only:
    'Only tools that say of themselves that they change nothing. Those that say nothing about it are left out.',
  auto: 'Every tool, also those that change or delete something. Nobody is asked before a call.',
};

export function SettingsForm({
  projectId,
  settings,
  setSettings,
  models,
  servers,
}: {
  projectId: string;
  settings: Settings;
  setSettings: (settings: Settings) => void;
  models: readonly Model[] | undefined;
  servers: readonly Server[] | undefined;
}) {
  const set = (changed: Partial<Settings>): void => setSettings({ ...settings, ...changed });
  const { modelId, serverIds } = filled(settings, models ?? [], servers ?? []);
  const offline = models?.find(({ id }) => id === modelId)?.offline === true;
  return (
    <div className={css.settings}>
      <div className={form.columns}>
        <Field
          label="Model"
          hint={offline && 'No language model: it picks tools by the words of a message, and costs nothing.'}
        >
          <Select
            value={modelId ?? ''}
            onChange={({ target }) => set({ modelId: target.value })}
            options={usable(models ?? []).map(
              ({ id, offline: isOffline }) => [id, isOffline ? `${id} (offline)` : id] as const,
            )}
          />
        </Field>
        <Field label="Tools" hint={modeWords[settings.toolMode]}>
          <Select
            value={settings.toolMode}
            onChange={({ target }) => set({ toolMode: target.value as Settings['toolMode'] })}
            options={[
              ['read_only', 'that only read'],
              ['auto', 'all'],
            ]}
          />
        </Field>
      </div>
      <TabButtons
        label="Whom it talks to"
        names={[
          ['servers', 'Servers'],
          ['environment', 'An environment'],
        ]}
        chosen={settings.target}
        choose={(target) => set({ target })}
      />
      {settings.target === 'servers' ? (
        <div className={form.columns}>
          <Choices
            legend="Servers"
            choices={(servers ?? [])
              .filter(({ enabled }) => enabled)
              .map(({ id, name }) => ({ value: id, name }))}
            chosen={serverIds}
            onChange={(next) => set({ serverIds: next })}
            none={<NoServer projectId={projectId} read={servers !== undefined} />}
          />
          <ClientField
            projectId={projectId}
            value={settings.hostId}
            onChange={(hostId) => set({ hostId })}
            hint="What it says of itself to servers, its prompt and its temperature. Without a server chosen, its servers."
          />
        </div>
      ) : (
        <EnvironmentField
          projectId={projectId}
          value={settings.environmentId}
          onChange={(environmentId) => set({ environmentId })}
        />
      )}
      <Fold summary="Prompt and temperature">
        {() => (
          <div className={form.form}>
            <Field label="System prompt" hint="Instead of that of the client.">
              <TextArea
                rows={4}
                maxLength={8000}
                value={settings.systemPrompt}
                onChange={({ target }) => set({ systemPrompt: target.value })}
              />
            </Field>
            <Field label="Temperature" hint="0 to 2; left out, that of the client or of the model.">
              <TextInput
                type="number"
                min={0}
                max={2}
                step={0.1}
                className={css.number}
                value={settings.temperature}
                onChange={({ target }) => set({ temperature: target.value })}
              />
            </Field>
          </div>
        )}
      </Fold>
    </div>
  );
}

function NoServer({ projectId, read }: { projectId: string; read: boolean }) {
  if (!read) return '…';
  return (
    <>
      No server is enabled.{' '}
      <Link to="/projects/$projectId/servers" params={{ projectId }}>
        Go to the servers
      </Link>
    </>
  );
}

function EnvironmentField({
  projectId,
  value,
  onChange,
}: {
  projectId: string;
  value: string;
  onChange: (id: string) => void;
}) {
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const named = environments.data?.items.filter(({ archived }) => !archived) ?? [];
  return (
    <Field
      label="Environment"
      hint={
        environments.isSuccess && named.length === 0
          ? 'The project has none yet.'
          : 'Its client, servers, secrets and skills, as they are at each turn. The model is the one above.'
      }
    >
      <Select
        value={value}
        onChange={({ target }) => onChange(target.value)}
        options={[['', 'Choose one'], ...named.map(({ id, name }) => [id, name ?? id] as const)]}
      />
    </Field>
  );
}
