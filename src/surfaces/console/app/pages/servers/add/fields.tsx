import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Input } from '../../../../../client/index.ts';
import { answersOf } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../kit/button.tsx';
import form from '../../../kit/form.module.css';
import { Problem } from '../../../kit/notice.tsx';
import { say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import { withoutSecrets } from '../without-secrets.ts';

type ServerBody = Input<'createProjectServer'>['body'];

export interface Adding {
  projectId: string;
  onAdded: (serverId: string) => void;
  onClose: () => void;
}

/** Saves one server from fields. What is secret is not written into the words for elsewhere. */
export function ServerForm({
  projectId,
  onAdded,
  onClose,
  body,
  ready,
  children,
}: Adding & { body: ServerBody; ready: boolean; children: ReactNode }) {
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: () => api.createProjectServer({ projectId, body }),
    onSuccess: async ({ id, name }) => {
      say(`Server ${name} saved`);
      await queryClient.invalidateQueries(answersOf('listProjectServers'));
      onAdded(id);
    },
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
          <Same operation="createProjectServer" input={{ projectId, body: withoutSecrets(body) }} />
        </span>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={saving.isPending} disabled={!ready}>
          Add server
        </Button>
      </footer>
    </form>
  );
}

/** A name follows from something else until it is typed. */
export function useName(fallback: string): [string, (name: string) => void] {
  const [typed, setTyped] = useState<string>();
  return [typed ?? fallback, setTyped];
}
