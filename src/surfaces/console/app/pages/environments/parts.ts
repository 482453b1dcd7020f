import { ask, useQuery } from '../../api/index.ts';
import { textOf } from '../../kit/text.ts';

/** Everything an environment can be composed of. */
export function useParts(projectId: string, enabled = true) {
  const clients = useQuery({ ...ask('listClients', { projectId }), enabled });
  const groups = useQuery({ ...ask('listServerGroups', { projectId }), enabled });
  const secrets = useQuery({ ...ask('listSecrets', { projectId }), enabled });
  const skills = useQuery({ ...ask('listProjectSkills', { projectId }), enabled });
  const plugins = useQuery({ ...ask('listProjectPlugins', { projectId }), enabled });
  const models = useQuery({ ...ask('listModels', {}), enabled });
  const all = [clients, groups, secrets, skills, plugins, models];
  const names = new Map<string, string>([
    ...[clients, groups, secrets, skills].flatMap(({ data }) =>
      (data?.items ?? []).map(({ id, name }) => [id, name] as const),
    ),
    ...(plugins.data?.items ?? []).flatMap(({ activeVersionId, name }) =>
      activeVersionId === undefined ? [] : [[activeVersionId, name] as const],
    ),
  ]);
  return {
    clients: clients.data?.items ?? [],
    groups: groups.data?.items ?? [],
    secrets: secrets.data?.items ?? [],
    skills: skills.data?.items ?? [],
    plugins: plugins.data?.items ?? [],
    models: models.data?.items ?? [],
    ready: all.every(({ isPending }) => !isPending),
    error: all.find(({ isError }) => isError)?.error ?? null,
    /** Formats a value of an environment, with names instead of IDs. */
    words: (value: unknown): string =>
      Array.isArray(value)
        ? value.map((one) => names.get(String(one)) ?? textOf(one)).join(', ') || 'none'
        : (names.get(textOf(value)) ?? textOf(value)),
    nameOf: (id: string | undefined): string | undefined =>
      id === undefined ? undefined : (names.get(id) ?? id),
  };
}

/** Field labels, as in the form. */
export const fieldNames = {
  name: 'Name',
  description: 'Description',
  hostId: 'Client',
  serverAttachmentId: 'Servers',
  modelId: 'Model',
  skillIds: 'Skills',
  secretIds: 'Secrets',
  pluginVersionIds: 'Plugins',
};

export type Parts = ReturnType<typeof useParts>;
