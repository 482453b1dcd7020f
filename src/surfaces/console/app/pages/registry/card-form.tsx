import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Switch } from '../../kit/choices.tsx';
import { Field, TextArea, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import {
  cannotBeEmptied,
  createBody,
  type Draft,
  draftOf,
  transportDiffers,
  updateBody,
} from './card-body.ts';
import type { Card } from './words.ts';

/** Adds a card, or changes one. */
export function CardForm({
  organizationId,
  card,
  onClose,
}: {
  organizationId: string;
  card?: Card;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(card));
  const set = (changed: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changed }));
  const queryClient = useQueryClient();
  const create = { organizationId, body: createBody(draft) };
  const update = {
    organizationId,
    registryServerId: card?.id ?? '',
    body: card ? updateBody(draft, card) : {},
  };
  const saving = useMutation({
    mutationFn: () =>
      card ? api.updateOrganizationRegistryServer(update) : api.createOrganizationRegistryServer(create),
    onSuccess: async ({ name }) => {
      say(card ? `Card ${name} changed` : `Card ${name} added`);
      onClose();
      await Promise.all(
        (['listOrganizationRegistryServers', 'listRegistryServers'] as const).map((id) =>
          queryClient.invalidateQueries(answersOf(id)),
        ),
      );
    },
  });
  const emptied = cannotBeEmptied(draft, card);
  const line = (field: 'name' | 'displayName' | 'publisher' | 'category' | 'tags', most: number) => (
    <TextInput
      value={draft[field]}
      maxLength={most}
      onChange={({ target }) => set({ [field]: target.value })}
    />
  );
  const problemOf = (field: keyof Draft): string | undefined =>
    emptied.has(field) ? 'It can be another one, but it cannot be taken away.' : undefined;
  return (
    <FormDialog
      title={card ? `Change ${card.name}` : 'New card'}
      verb={card ? 'Save changes' : 'Add card'}
      busy={saving.isPending}
      error={saving.error}
      blocked={
        draft.name.trim() === '' ||
        draft.url.trim() === '' ||
        emptied.size > 0 ||
        (card !== undefined && Object.keys(update.body).length === 0)
      }
      wide
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={
        card ? (
          <Same operation="updateOrganizationRegistryServer" input={update} />
        ) : (
          <Same operation="createOrganizationRegistryServer" input={create} />
        )
      }
    >
      <Field label="Name" needed hint="What the saved server is called in a project.">
        {line('name', 128)}
      </Field>
      <Field label="Address" needed>
        <TextInput
          type="url"
          inputMode="url"
          spellCheck={false}
          placeholder="https://"
          value={draft.url}
          onChange={({ target }) => set({ url: target.value })}
        />
      </Field>
      <Switch
        label="It signs in with OAuth"
        checked={draft.useOAuth}
        onChange={(useOAuth) => set({ useOAuth })}
      />
      {draft.useOAuth && <OAuth draft={draft} card={card} set={set} />}
      <Field label="Title" problem={problemOf('displayName')}>
        {line('displayName', 200)}
      </Field>
      <Field label="About">
        <TextArea
          rows={3}
          maxLength={2000}
          value={draft.description}
          onChange={({ target }) => set({ description: target.value })}
        />
      </Field>
      <Field label="Publisher" problem={problemOf('publisher')}>
        {line('publisher', 200)}
      </Field>
      <Field label="Category" problem={problemOf('category')}>
        {line('category', 100)}
      </Field>
      <Field label="Tags" hint="With commas in between.">
        {line('tags', 1300)}
      </Field>
      {card && transportDiffers(draft, card) && (
        <Note>Servers that were installed from it stay where they are until they are moved along.</Note>
      )}
    </FormDialog>
  );
}

function OAuth({
  draft,
  card,
  set,
}: {
  draft: Draft;
  card: Card | undefined;
  set: (changed: Partial<Draft>) => void;
}) {
  const forgotten =
    card?.transport?.hasOAuthConfig === true && transportDiffers(draft, card) && draft.clientId.trim() === '';
  return (
    <>
      <Field label="OAuth scopes" hint="With spaces in between.">
        <TextInput
          value={draft.oauthScopes}
          spellCheck={false}
          onChange={({ target }) => set({ oauthScopes: target.value })}
        />
      </Field>
      <Field
        label="OAuth client id"
        hint={
          card?.transport?.hasOAuthConfig
            ? 'One is stored, which stays as long as address and OAuth stay.'
            : 'When a client is registered for it.'
        }
        problem={forgotten ? 'The stored one goes with this change. Type it again to keep it.' : undefined}
      >
        <TextInput
          value={draft.clientId}
          maxLength={500}
          spellCheck={false}
          onChange={({ target }) => set({ clientId: target.value })}
        />
      </Field>
    </>
  );
}
