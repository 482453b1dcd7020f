import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Field, Select, TextArea } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { type Candidate, candidatesOf, journeyBody, type Offer, personaBody } from './drafted.ts';
import { lookedUp } from './names.ts';
import css from './swarms.module.css';

/** As many as the service takes. */
const mostKnown = 30;

/** Personas with journeys, drafted from the tools that an environment or a server group offers. Each is made with one press. */
export function Drafts({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const sources = useSources(projectId);
  const known = useQuery(ask('listPersonas', { projectId, limit: lookedUp }));
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
    existingPersonas: (known.data?.items ?? []).slice(0, mostKnown).map(({ name, role }) => ({ name, role })),
  };
  const drafting = useMutation({ mutationFn: () => api.generatePersonas({ projectId, body }) });
  const candidates = drafting.data ? candidatesOf(drafting.data) : undefined;
  const offer: Offer = {
    environmentId: body.environmentId,
    serverAttachmentId: body.serverAttachmentId,
    hostId: source?.kind === 'group' ? hostId : undefined,
  };
  return (
    <FormDialog
      title="Draft with a model"
      verb={candidates ? 'Draft others' : 'Draft personas'}
      busy={drafting.isPending}
      error={drafting.error ?? sources.error}
      blocked={!source}
      wide
      onClose={onClose}
      onSubmit={() => drafting.mutate()}
      same={<Same operation="generatePersonas" input={{ projectId, body }} />}
    >
      {sources.ready && !source && (
        <Note>
          Drafts are made from tools. Make an environment or a server group first, so that there are some to
          look at.
        </Note>
      )}
      <div className={css.columns}>
        <Field label="From the tools of" needed>
          <Select
            value={source?.id ?? ''}
            onChange={({ target }) => setChosen(target.value)}
            options={sources.all.map(({ id, name, kind }) => [id, `${name} (${kindWords[kind]})`] as const)}
          />
        </Field>
        {source?.kind === 'group' && (
          <Field label="Journeys run with">
            <Select
              value={hostId ?? ''}
              onChange={({ target }) => setClient(target.value)}
              options={sources.clients.map(({ id, name }) => [id, name] as const)}
            />
          </Field>
        )}
        <Field label="Personas">
          <Select
            value={people}
            onChange={({ target }) => setPeople(target.value)}
            options={['1', '2', '3', '4', '6', '8', '12'].map((one) => [one, one] as const)}
          />
        </Field>
      </div>
      <Field label="Who uses this, and for what">
        <TextArea
          rows={2}
          maxLength={2000}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </Field>
      {candidates && (
        <div className={css.drafts} aria-live="polite">
          <Note>
            {counted(candidates.length, 'draft')} by <code>{drafting.data?.generationModel}</code>. Nothing is
            stored until you create it.
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

const kindWords = { environment: 'environment', group: 'server group' };

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
  const queryClient = useQueryClient();
  // What failed halfway goes on where it was: under the same key a thing is made once.
  const [key] = useState(() => crypto.randomUUID());
  const making = useMutation({
    mutationFn: async () => {
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
    onSuccess: async () => {
      say(`Persona ${persona.name} created`);
      for (const id of ['listPersonas', 'listJourneys'] as const)
        await queryClient.invalidateQueries(answersOf(id));
    },
    onError: complain,
  });
  return (
    <section className={css.draft} aria-label={persona.name}>
      <div className={css.draftHead}>
        <h3>{persona.name}</h3>
        <bdi className={css.soft}>{persona.role}</bdi>
        {making.isSuccess ? (
          <StateMark state="passed">created</StateMark>
        ) : (
          <Button busy={making.isPending} onClick={() => making.mutate()}>
            Create with {counted(journeys.length, 'journey')}
          </Button>
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
