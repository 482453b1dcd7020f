import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Changes } from '../../kit/changes.tsx';
import { Choices } from '../../kit/choices.tsx';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Empty, Skeleton } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import {
  type Composition,
  compositionOf,
  createBody,
  type Environment,
  nothing,
  updateBody,
} from './composition.ts';
import { fieldNames, type Parts, useParts } from './parts.ts';

/** Makes an environment, or changes one: then it says what will differ before it is saved. */
export function EnvironmentForm({
  projectId,
  environment,
  onClose,
  onSaved,
}: {
  projectId: string;
  environment?: Environment;
  onClose: () => void;
  onSaved?: (environment: Output<'createEnvironment'>) => void;
}) {
  const parts = useParts(projectId);
  const before = environment ? compositionOf(environment) : nothing;
  const [typed, setMade] = useState<Composition>(before);
  const made = typed.hostId === '' ? { ...typed, hostId: parts.clients[0]?.id ?? '' } : typed;
  const set = (changed: Partial<Composition>): void => setMade({ ...made, ...changed });
  const queryClient = useQueryClient();
  const update = environment && updateBody(before, made, environment.revision);
  const saving = useMutation({
    mutationFn: () =>
      environment && update
        ? api.updateEnvironment({ projectId, environmentId: environment.id, body: update })
        : api.createEnvironment({ projectId, body: createBody(made) }),
    onSuccess: async (saved) => {
      say(`Environment ${saved.name} saved`);
      for (const id of ['listEnvironments', 'getEnvironment', 'resolveEnvironment'] as const)
        await queryClient.invalidateQueries(answersOf(id));
      onClose();
      onSaved?.(saved);
    },
  });
  const nothingToDo = update !== undefined && Object.keys(update).length === 1;
  return (
    <FormDialog
      title={environment ? `Edit ${environment.name}` : 'New environment'}
      verb={environment ? 'Save changes' : 'Create environment'}
      busy={saving.isPending}
      error={saving.error ?? parts.error}
      blocked={made.name.trim() === '' || made.hostId === '' || nothingToDo}
      wide
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={
        environment && update ? (
          <Same
            operation="updateEnvironment"
            input={{ projectId, environmentId: environment.id, body: update }}
          />
        ) : (
          <Same operation="createEnvironment" input={{ projectId, body: createBody(made) }} />
        )
      }
    >
      {!parts.ready && <Skeleton lines={4} />}
      {parts.ready && parts.clients.length === 0 && (
        <Empty
          title="A client comes first"
          action={
            <Link to="/projects/$projectId/clients" params={{ projectId }} search={{ add: true }}>
              Create a client
            </Link>
          }
        >
          An environment runs as a client: its model, its prompt and how it speaks the protocol.
        </Empty>
      )}
      {parts.ready && parts.clients.length > 0 && <Fields parts={parts} made={made} set={set} />}
      {environment && !nothingToDo && (
        <Changes
          label="What will change"
          before={before}
          after={made}
          names={fieldNames}
          words={parts.words}
        />
      )}
    </FormDialog>
  );
}

function Fields({
  parts,
  made,
  set,
}: {
  parts: Parts;
  made: Composition;
  set: (changed: Partial<Composition>) => void;
}) {
  return (
    <>
      <Field label="Name" needed>
        <TextInput value={made.name} onChange={({ target }) => set({ name: target.value })} />
      </Field>
      <Field label="Description">
        <TextInput value={made.description} onChange={({ target }) => set({ description: target.value })} />
      </Field>
      <Field label="Client" needed hint="Follows every edit of the client.">
        <Select
          value={made.hostId}
          onChange={({ target }) => set({ hostId: target.value })}
          options={parts.clients.map(({ id, name, modelId }) => [id, `${name} (${modelId})`] as const)}
        />
      </Field>
      <Field label="Servers">
        <Select
          value={made.serverAttachmentId}
          onChange={({ target }) => set({ serverAttachmentId: target.value })}
          options={[
            ['', 'Those of the client'],
            ...parts.groups.map(
              ({ id, name, serverNames }) => [id, `${name}: ${serverNames.join(', ')}`] as const,
            ),
          ]}
        />
      </Field>
      <Field label="Model">
        <Select
          value={made.modelId}
          onChange={({ target }) => set({ modelId: target.value })}
          options={[
            ['', 'That of the client'],
            ...withChosen(
              parts.models.map(({ id, name }) => [id, `${name} (${id})`] as const),
              made.modelId,
            ),
          ]}
        />
      </Field>
      <Choices
        legend="Secrets"
        none="No secret is stored in this project."
        choices={parts.secrets.map(({ id, name, description, sharing }) => ({
          value: id,
          name: <code>{name}</code>,
          hint: sharing === 'user' ? 'only for you' : description,
        }))}
        chosen={made.secretIds}
        onChange={(secretIds) => set({ secretIds })}
      />
      <Choices
        legend="Skills"
        none="No skill is in this project."
        choices={parts.skills.map(({ id, name, description, pinnability }) => ({
          value: id,
          name,
          hint: pinnability.ok
            ? description
            : `cannot be pinned: ${reasons[pinnability.reason ?? ''] ?? 'not shared'}`,
          disabled: !pinnability.ok && !made.skillIds.includes(id),
        }))}
        chosen={made.skillIds}
        onChange={(skillIds) => set({ skillIds })}
      />
      <Choices
        legend="Plugins"
        none="No plugin is installed in this project."
        choices={parts.plugins.flatMap(({ activeVersionId, name, enabled, description }) =>
          activeVersionId === undefined
            ? []
            : [
                {
                  value: activeVersionId,
                  name,
                  hint: enabled ? description : 'disabled',
                  disabled: !enabled && !made.pluginVersionIds.includes(activeVersionId),
                },
              ],
        )}
        chosen={made.pluginVersionIds}
        onChange={(pluginVersionIds) => set({ pluginVersionIds })}
      />
    </>
  );
}

/** One that the catalog does not know stays what it is. */
function withChosen(options: (readonly [string, string])[], chosen: string): (readonly [string, string])[] {
  if (chosen === '' || options.some(([id]) => id === chosen)) return options;
  return [[chosen, chosen], ...options];
}

const reasons: Record<string, string> = {
  personal: 'it is personal',
  supporting_files: 'it has supporting files',
  extra_frontmatter: 'its frontmatter says more than is known',
  plugin_component: 'it comes with a plugin; pin that',
};
