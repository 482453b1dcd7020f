import { useState } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Switch } from '../../kit/choices.tsx';
import { AreaField, Field, TextField, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import {
  cannotBeEmptied,
  createBody,
  type Draft,
  draftOf,
  transportDiffers,
  updateBody,
} from './card-body.ts';
import type { Card } from './labels.ts';

/** Adds or edits a card. */
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
  const create = { organizationId, body: createBody(draft) };
  const update = {
    organizationId,
    registryServerId: card?.id ?? '',
    body: card ? updateBody(draft, card) : {},
  };
  const saving = useSubmit(
    () =>
      card ? api.updateOrganizationRegistryServer(update) : api.createOrganizationRegistryServer(create),
    { says: ({ name }) => (card ? `Card ${name} saved` : `Card ${name} added`), onDone: onClose },
  );
  const emptied = cannotBeEmptied(draft, card);
  const line = (field: 'name' | 'displayName' | 'publisher' | 'category' | 'tags', most: number) => (
    <TextInput
      value={draft[field]}
      maxLength={most}
      onChange={({ target }) => set({ [field]: target.value })}
    />
  );
  const problemOf = (field: keyof Draft): string | undefined =>
    emptied.has(field) ? 'This field can be changed but not cleared.' : undefined;
  return (
    <FormDialog
      title={card ? `Edit ${card.name}` : 'New card'}
      verb={card ? 'Save changes' : 'Add card'}
      action={saving}
      blocked={
        draft.name.trim() === '' ||
        draft.url.trim() === '' ||
        emptied.size > 0 ||
        (card !== undefined && Object.keys(update.body).length === 0)
      }
      wide
      onClose={onClose}
      example={
        card ? (
          <ApiExample operation="updateOrganizationRegistryServer" input={update} />
        ) : (
          <ApiExample operation="createOrganizationRegistryServer" input={create} />
        )
      }
    >
      <Field label="Name" required hint="The name of the saved server in a project.">
        {line('name', 128)}
      </Field>
      <TextField
        label="Server URL"
        required
        type="url"
        inputMode="url"
        spellCheck={false}
        placeholder="https://"
        value={draft.url}
        onChange={(text) => set({ url: text })}
      />
      <Switch label="Uses OAuth" checked={draft.useOAuth} onChange={(useOAuth) => set({ useOAuth })} />
      {draft.useOAuth && <OAuth draft={draft} card={card} set={set} />}
      <Field label="Title" problem={problemOf('displayName')}>
        {line('displayName', 200)}
      </Field>
      <AreaField
        label="Description"
        rows={3}
        maxLength={2000}
        value={draft.description}
        onChange={(text) => set({ description: text })}
      />
      <Field label="Publisher" problem={problemOf('publisher')}>
        {line('publisher', 200)}
      </Field>
      <Field label="Category" problem={problemOf('category')}>
        {line('category', 100)}
      </Field>
      <Field label="Tags" hint="Separated by commas.">
        {line('tags', 1300)}
      </Field>
      {card && transportDiffers(draft, card) && (
        <Note>Installed servers keep their URL until they are updated.</Note>
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
      <TextField
        label="OAuth scopes"
        hint="Separated by spaces."
        value={draft.oauthScopes}
        spellCheck={false}
        onChange={(text) => set({ oauthScopes: text })}
      />
      <TextField
        label="OAuth client ID"
        hint={
          card?.transport?.hasOAuthConfig
            ? 'A client ID is stored. It is kept unless the URL or OAuth changes.'
            : 'Only if a client is registered at the authorization server.'
        }
        problem={forgotten ? 'This change deletes the stored value. Enter it again to keep it.' : undefined}
        value={draft.clientId}
        maxLength={500}
        spellCheck={false}
        onChange={(text) => set({ clientId: text })}
      />
    </>
  );
}
