import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Output, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Changes } from '../../kit/changes.tsx';
import { Choices } from '../../kit/choices.tsx';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Empty, Skeleton } from '../../kit/notice.tsx';
import {
  type Composition,
  compositionOf,
  createBody,
  type Environment,
  nothing,
  updateBody,
} from './composition.ts';
import { fieldNames, type Parts, useParts } from './parts.ts';

/** Creates or edits an environment. An edit previews its changes before it is saved. */
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
  const update = environment && updateBody(before, made, environment.revision);
  const saving = useSubmit(
    () =>
      environment && update
        ? api.updateEnvironment({ projectId, environmentId: environment.id, body: update })
        : api.createEnvironment({ projectId, body: createBody(made) }),
    {
      says: (saved) => `Environment ${saved.name} saved`,
      onDone: (saved) => {
        onClose();
        onSaved?.(saved);
      },
    },
  );
  const nothingToDo = update !== undefined && Object.keys(update).length === 1;
  return (
    <FormDialog
      title={environment ? `Edit ${environment.name}` : 'New environment'}
      verb={environment ? 'Save changes' : 'Create environment'}
      action={saving}
      error={parts.error}
      blocked={made.name.trim() === '' || made.hostId === '' || nothingToDo}
      wide
      onClose={onClose}
      example={
        environment && update ? (
          <ApiExample
            operation="updateEnvironment"
            input={{ projectId, environmentId: environment.id, body: update }}
          />
        ) : (
          <ApiExample operation="createEnvironment" input={{ projectId, body: createBody(made) }} />
        )
      }
    >
      {!parts.ready && <Skeleton lines={4} />}
      {parts.ready && parts.clients.length === 0 && (
        <Empty
          title="Create client first"
          action={
            <Link to="/projects/$projectId/clients" params={{ projectId }} search={{ add: true }}>
              Create client
            </Link>
          }
        >
          An environment takes its model, prompt and protocol settings from a client.
        </Empty>
      )}
      {parts.ready && parts.clients.length > 0 && <Fields parts={parts} made={made} set={set} />}
      {environment && !nothingToDo && (
        <Changes label="Changes" before={before} after={made} names={fieldNames} words={parts.words} />
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
      <TextField label="Name" required value={made.name} onChange={(text) => set({ name: text })} />
      <TextField
        label="Description"
        value={made.description}
        onChange={(text) => set({ description: text })}
      />
      <SelectField
        label="Client"
        required
        hint="Later edits of the client apply."
        value={made.hostId}
        options={parts.clients.map(({ id, name, modelId }) => [id, `${name} (${modelId})`] as const)}
        onChange={(value) => set({ hostId: value })}
      />
      <SelectField
        label="Servers"
        value={made.serverAttachmentId}
        options={[
          ['', 'Default (from the client)'],
          ...parts.groups.map(
            ({ id, name, serverNames }) => [id, `${name}: ${serverNames.join(', ')}`] as const,
          ),
        ]}
        onChange={(value) => set({ serverAttachmentId: value })}
      />
      <SelectField
        label="Model"
        value={made.modelId}
        options={[
          ['', 'Default (from the client)'],
          ...withChosen(
            parts.models.map(({ id, name }) => [id, `${name} (${id})`] as const),
            made.modelId,
          ),
        ]}
        onChange={(value) => set({ modelId: value })}
      />
      <Choices
        legend="Secrets"
        none="This project has no secrets."
        choices={parts.secrets.map(({ id, name, description, sharing }) => ({
          value: id,
          name: <code>{name}</code>,
          hint: sharing === 'user' ? 'personal' : description,
        }))}
        chosen={made.secretIds}
        onChange={(secretIds) => set({ secretIds })}
      />
      <Choices
        legend="Skills"
        none="This project has no skills."
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
        none="This project has no plugins."
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

/** Adds the saved choice if the catalog does not list it, so that saving the form keeps it. */
function withChosen(options: (readonly [string, string])[], chosen: string): (readonly [string, string])[] {
  if (chosen === '' || options.some(([id]) => id === chosen)) return options;
  return [[chosen, chosen], ...options];
}

const reasons: Record<string, string> = {
  personal: 'personal',
  supporting_files: 'has supporting files',
  extra_frontmatter: 'unsupported frontmatter',
  plugin_component: 'part of a plugin; pin the plugin',
};
