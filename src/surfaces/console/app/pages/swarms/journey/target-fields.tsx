import { ask, useQuery } from '../../../api/index.ts';
import { Choices } from '../../../kit/choices.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { TabButtons } from '../../../kit/tabs.tsx';
import type { JourneyDraft } from './journey-body.ts';

/** Targets of a journey: environments, or clients with an optional server group. */
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
          label="Targets"
          names={[
            ['clients', 'Clients'],
            ['environments', 'Environments'],
          ]}
          chosen={draft.place}
          choose={(place) => set({ place })}
        />
      </div>
      {draft.place === 'environments' ? (
        <Choices
          legend="Environments"
          none={environments.isPending ? '…' : 'This project has no active environments.'}
          choices={(environments.data?.items ?? []).map(({ id, name }) => ({ value: id, name: name ?? id }))}
          chosen={draft.environmentIds}
          onChange={(environmentIds) => set({ environmentIds })}
        />
      ) : (
        <>
          <Choices
            legend="Clients"
            none={clients.isPending ? '…' : 'This project has no clients.'}
            choices={(clients.data?.items ?? []).map(({ id, name, modelId }) => ({
              value: id,
              name,
              hint: modelId,
            }))}
            chosen={draft.hostIds}
            onChange={(hostIds) => set({ hostIds })}
          />
          <SelectField
            label="Servers"
            value={draft.serverAttachmentId}
            options={[
              ['', 'Default (from the clients)'],
              ...(groups.data?.items ?? []).map(
                ({ id, name, serverNames }) => [id, `${name}: ${serverNames.join(', ')}`] as const,
              ),
            ]}
            onChange={(value) => set({ serverAttachmentId: value })}
          />
        </>
      )}
    </>
  );
}
