import { useQuery } from '@tanstack/react-query';
import { ask } from '../../../api/ask.ts';
import { Choices } from '../../../kit/choices.tsx';
import { Field, Select } from '../../../kit/field.tsx';
import { TabButtons } from '../../../kit/tabs.tsx';
import type { JourneyDraft } from './journey-body.ts';

/** Where a journey is tried: in environments, or with clients and perhaps a server group. */
export function TargetFields({
  projectId,
  draft,
  set,
}: {
  projectId: string;
  draft: JourneyDraft;
  set: (changed: Partial<JourneyDraft>) => void;
}) {
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const clients = useQuery(ask('listClients', { projectId }));
  const groups = useQuery(ask('listServerGroups', { projectId }));
  return (
    <>
      <div>
        <TabButtons
          label="Where it is tried"
          names={[
            ['clients', 'With clients'],
            ['environments', 'In environments'],
          ]}
          chosen={draft.place}
          choose={(place) => set({ place })}
        />
      </div>
      {draft.place === 'environments' ? (
        <Choices
          legend="Environments"
          none={environments.isPending ? '…' : 'The project has no environment yet.'}
          choices={(environments.data?.items ?? []).map(({ id, name }) => ({ value: id, name: name ?? id }))}
          chosen={draft.environmentIds}
          onChange={(environmentIds) => set({ environmentIds })}
        />
      ) : (
        <>
          <Choices
            legend="Clients"
            none={clients.isPending ? '…' : 'The project has no client yet.'}
            choices={(clients.data?.items ?? []).map(({ id, name, modelId }) => ({
              value: id,
              name,
              hint: modelId,
            }))}
            chosen={draft.hostIds}
            onChange={(hostIds) => set({ hostIds })}
          />
          <Field label="Servers">
            <Select
              value={draft.serverAttachmentId}
              onChange={({ target }) => set({ serverAttachmentId: target.value })}
              options={[
                ['', 'Those of the clients'],
                ...(groups.data?.items ?? []).map(
                  ({ id, name, serverNames }) => [id, `${name}: ${serverNames.join(', ')}`] as const,
                ),
              ]}
            />
          </Field>
        </>
      )}
    </>
  );
}
