import { Link } from '@tanstack/react-router';
import { ask, type Output, useQuery } from '../../api/index.ts';
import { Choices } from '../../kit/choices.tsx';
import { AreaField, SelectField, TextField } from '../../kit/field.tsx';
import { Fold } from '../../kit/fold.tsx';
import form from '../../kit/form.module.css';
import { TabButtons } from '../../kit/tabs.tsx';
import css from './chat.module.css';
import { ClientField } from './limits.tsx';
import type { Body } from './turn-state.ts';

type Model = Output<'listModels'>['items'][number];
type Server = Output<'listProjectServers'>['items'][number];

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

/** A chat sends no API keys, so only hosted and offline models are usable. */
function usable(models: readonly Model[]): Model[] {
  return models.filter(({ hosted, offline }) => hosted || offline);
}

/** Default settings: a language model if there is one, and the first enabled server. */
function withDefaults(settings: Settings, models: readonly Model[], servers: readonly Server[]) {
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
  const { modelId, serverIds } = withDefaults(settings, models, servers);
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

export function useSettings(projectId: string, settings: Settings, enabled = true) {
  const models = useQuery({ ...ask('listModels', {}), enabled }).data?.items;
  const servers = useQuery({ ...ask('listProjectServers', { projectId }), enabled }).data?.items;
  const chosen = settingsBody(settings, { models: models ?? [], servers: servers ?? [] });
  return { chosen, models, servers };
}

const modeLabels = {
  read_only: 'Only tools declared read-only. Tools without that declaration are excluded.',
  auto: 'All tools, including those that change or delete data, without confirmation.',
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
  const { modelId, serverIds } = withDefaults(settings, models ?? [], servers ?? []);
  const offline = models?.find(({ id }) => id === modelId)?.offline === true;
  return (
    <div className={css.settings}>
      <div className={form.columns}>
        <SelectField
          label="Model"
          hint={offline && 'Not a language model: it selects tools by keywords, at no cost.'}
          value={modelId ?? ''}
          options={usable(models ?? []).map(
            ({ id, offline: isOffline }) => [id, isOffline ? `${id} (offline)` : id] as const,
          )}
          onChange={(value) => set({ modelId: value })}
        />
        <SelectField
          label="Tools"
          hint={modeLabels[settings.toolMode]}
          value={settings.toolMode}
          options={[
            ['read_only', 'Read-only tools'],
            ['auto', 'All tools'],
          ]}
          onChange={(value) => set({ toolMode: value })}
        />
      </div>
      <TabButtons
        label="Connect to"
        names={[
          ['servers', 'Servers'],
          ['environment', 'Environment'],
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
            hint="Sets the client info sent to servers, the prompt and the temperature. Its servers are used if none is selected."
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
            <AreaField
              label="System prompt"
              hint="Replaces the client's prompt."
              rows={4}
              maxLength={8000}
              value={settings.systemPrompt}
              onChange={(text) => set({ systemPrompt: text })}
            />
            <TextField
              label="Temperature"
              hint="0 to 2. Default: that of the client or the model."
              type="number"
              min={0}
              max={2}
              step={0.1}
              className={css.number}
              value={settings.temperature}
              onChange={(text) => set({ temperature: text })}
            />
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
      No enabled servers.{' '}
      <Link to="/projects/$projectId/servers" params={{ projectId }}>
        Go to servers
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
    <SelectField
      label="Environment"
      hint={
        environments.isSuccess && named.length === 0
          ? 'This project has no active environments.'
          : "Each turn uses the environment's current client, servers, secrets and skills, with the model above."
      }
      value={value}
      options={[['', 'Select one'], ...named.map(({ id, name }) => [id, name ?? id] as const)]}
      onChange={onChange}
    />
  );
}
