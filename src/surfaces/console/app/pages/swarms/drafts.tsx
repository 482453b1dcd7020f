import { useState } from 'react';
import { api, ask, maxPageSize, useAction, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { AreaField, SelectField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { newKey } from '../../kit/new-key.ts';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';
import { type Candidate, candidatesOf, journeyBody, type Offer, personaBody } from './drafted.ts';
import css from './swarms.module.css';

/** Maximum number of existing personas in a request. */
const maxKnown = 30;

/** Personas and journeys drafted from the tools of an environment or server group; one click creates each. */
export function Drafts({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const sources = useSources(projectId);
  const known = useQuery(ask('listPersonas', { projectId, limit: maxPageSize }));
  const [chosen, setChosen] = useState<string>();
  const [client, setClient] = useState<string>();
  const [description, setDescription] = useState('');
  const [people, setPeople] = useState('3');
  const source = sources.all.find(({ id }) => id === chosen) ?? sources.all[0];
  const hostId = client ?? sources.clients[0]?.id;
  const body = {
    ...(source?.kind === 'environment' && { environmentId: source.id }),
    ...(source?.kind === 'group' && { serverAttachmentId: source.id }),
    ...(description.trim() !== '' && { description: description.trim() }),
    personaCount: Number(people),
    journeyCount: 2,
    existingPersonas: (known.data?.items ?? []).slice(0, maxKnown).map(({ name, role }) => ({ name, role })),
  };
  const drafting = useSubmit(() => api.generatePersonas({ projectId, body }));
  const candidates = drafting.data ? candidatesOf(drafting.data) : undefined;
  const offer: Offer = {
    environmentId: body.environmentId,
    serverAttachmentId: body.serverAttachmentId,
    hostId: source?.kind === 'group' ? hostId : undefined,
  };
  return (
    <FormDialog
      title="Draft with a model"
      verb={candidates ? 'Draft again' : 'Draft personas'}
      action={drafting}
      error={sources.error}
      blocked={!source}
      wide
      onClose={onClose}
      example={<ApiExample operation="generatePersonas" input={{ projectId, body }} />}
    >
      {sources.ready && !source && (
        <Note>Drafts are generated from tools. Create an environment or a server group first.</Note>
      )}
      <div className={css.columns}>
        <SelectField
          label="Tools from"
          required
          value={source?.id ?? ''}
          options={sources.all.map(({ id, name, kind }) => [id, `${name} (${kindLabels[kind]})`] as const)}
          onChange={setChosen}
        />
        {source?.kind === 'group' && (
          <SelectField
            label="Journeys run with"
            value={hostId ?? ''}
            options={sources.clients.map(({ id, name }) => [id, name] as const)}
            onChange={setClient}
          />
        )}
        <SelectField
          label="Personas"
          value={people}
          options={['1', '2', '3', '4', '6', '8', '12'].map((one) => [one, one] as const)}
          onChange={setPeople}
        />
      </div>
      <AreaField
        label="Users and their goals"
        rows={2}
        maxLength={2000}
        value={description}
        onChange={setDescription}
      />
      {candidates && (
        <div className={common.wideColumn} aria-live="polite">
          <Note>
            {counted(candidates.length, 'draft')} by <code>{drafting.data?.generationModel}</code>. Drafts are
            not saved until you create them.
          </Note>
          {candidates.map((candidate, at) => (
            <CandidateCard
              key={`${drafting.submittedAt}-${at}`}
              projectId={projectId}
              candidate={candidate}
              offer={offer}
            />
          ))}
        </div>
      )}
    </FormDialog>
  );
}

const kindLabels = { environment: 'environment', group: 'server group' };

function useSources(projectId: string) {
  const environments = useQuery(ask('listEnvironments', { projectId }));
  const groups = useQuery(ask('listServerGroups', { projectId }));
  const clients = useQuery(ask('listClients', { projectId }));
  return {
    all: [
      ...(environments.data?.items ?? []).map(({ id, name }) => ({
        kind: 'environment' as const,
        id,
        name: name ?? id,
      })),
      ...(groups.data?.items ?? []).map(({ id, name }) => ({ kind: 'group' as const, id, name })),
    ],
    clients: clients.data?.items ?? [],
    ready: environments.isSuccess && groups.isSuccess,
    error: environments.error ?? groups.error,
  };
}

function CandidateCard({
  projectId,
  candidate,
  offer,
}: {
  projectId: string;
  candidate: Candidate;
  offer: Offer;
}) {
  const { persona, journeys } = candidate;
  // The idempotency key lets a failed creation resume without duplicates.
  const [key] = useState(() => newKey());
  const making = useAction(
    async () => {
      const made = await api.createPersona(
        { projectId, body: personaBody(candidate) },
        { idempotencyKey: `${key}-persona` },
      );
      for (const [at, journey] of journeys.entries())
        await api.createJourney(
          { projectId, body: journeyBody(journey, made.id, offer) },
          { idempotencyKey: `${key}-${at}` },
        );
    },
    { says: `Persona ${persona.name} created` },
  );
  return (
    <section className={css.draft} aria-label={persona.name}>
      <div className={css.draftHead}>
        <h3>{persona.name}</h3>
        <bdi className={common.soft}>{persona.role}</bdi>
        {making.isSuccess ? (
          <StateMark state="passed">created</StateMark>
        ) : (
          <Button action={making}>Create with {counted(journeys.length, 'journey')}</Button>
        )}
      </div>
      {persona.notes !== undefined && <p dir="auto">{cut(persona.notes, 600)}</p>}
      <ul>
        {journeys.map((journey, at) => (
          <li key={at}>
            <bdi>{cut(journey.goal, 300)}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
