import { type ReactNode, useState } from 'react';
import { api, type Input, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { DialogForm } from '../../../kit/form-dialog.tsx';
import { withoutSecrets } from '../without-secrets.ts';

type ServerBody = Input<'createProjectServer'>['body'];

export interface Adding {
  projectId: string;
  onAdded: (serverId: string) => void;
  onClose: () => void;
}

/** Saves one server from fields. The API example omits secrets. */
export function ServerForm({
  projectId,
  onAdded,
  onClose,
  body,
  ready,
  children,
}: Adding & { body: ServerBody; ready: boolean; children: ReactNode }) {
  const saving = useSubmit(() => api.createProjectServer({ projectId, body }), {
    says: ({ name }) => `Server ${name} saved`,
    onDone: ({ id }) => onAdded(id),
  });
  return (
    <DialogForm
      verb="Add server"
      action={saving}
      blocked={!ready}
      onClose={onClose}
      example={
        <ApiExample operation="createProjectServer" input={{ projectId, body: withoutSecrets(body) }} />
      }
    >
      {children}
    </DialogForm>
  );
}

/** A name derived from other input until the user edits it. */
export function useName(fallback: string): [string, (name: string) => void] {
  const [typed, setTyped] = useState<string>();
  return [typed ?? fallback, setTyped];
}
