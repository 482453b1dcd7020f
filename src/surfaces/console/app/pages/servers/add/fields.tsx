import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Input, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Button } from '../../../kit/button.tsx';
import form from '../../../kit/form.module.css';
import { Problem } from '../../../kit/notice.tsx';
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
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) saving.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit} autoComplete="off">
      {children}
      {saving.isError && <Problem error={saving.error} />}
      <footer className={form.foot}>
        <span>
          <ApiExample operation="createProjectServer" input={{ projectId, body: withoutSecrets(body) }} />
        </span>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={saving.isPending} disabled={!ready}>
          Add server
        </Button>
      </footer>
    </form>
  );
}

/** A name derived from other input until the user edits it. */
export function useName(fallback: string): [string, (name: string) => void] {
  const [typed, setTyped] = useState<string>();
  return [typed ?? fallback, setTyped];
}
