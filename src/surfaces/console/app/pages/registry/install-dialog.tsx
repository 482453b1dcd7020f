import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DrydockError } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { useMemberOnly } from '../../api/features.ts';
import { Changes } from '../../kit/changes.tsx';
import { OneChoice } from '../../kit/choices.tsx';
import { Code } from '../../kit/code.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Facts } from '../../kit/page.tsx';
import { cut } from '../../kit/text.ts';
import { Same } from '../../same/same.tsx';
import { sayInstalled, useInstalledChanged } from './installed.tsx';
import { type Entry, postureWords, refusalOf, tierWords, titleOf } from './words.ts';

/** Asks what an install has to know, and shows what would be installed as it is listed now. */
export function InstallDialog({
  projectId,
  id,
  seen: seenBefore,
  onClose,
}: {
  projectId: string;
  id: string;
  /** As the reader had it before them, where it has changed since. */
  seen: Entry | undefined;
  onClose: () => void;
}) {
  const [seen, setSeen] = useState(seenBefore);
  const [endpointUrl, setEndpointUrl] = useState('');
  const memberOnly = useMemberOnly(projectId);
  const changed = useInstalledChanged();
  const queryClient = useQueryClient();
  const current = useQuery({
    ...ask('getRegistryDirectoryServer', { idOrName: id }),
    // What is agreed to does not change under the reader.
    refetchOnWindowFocus: false,
    staleTime: 0,
  });
  const entry = current.data;
  const input = {
    projectId,
    body: {
      catalogServerId: id,
      ...(isAsked(entry) && { endpointUrl: endpointUrl.trim() }),
      ...(entry?.latestContentHash !== undefined && { expectedContentHash: entry.latestContentHash }),
    },
  };
  const installing = useMutation({
    mutationFn: () => api.installRegistryDirectoryServer(input),
    onSuccess: async (answer) => {
      sayInstalled(answer);
      onClose();
      await changed();
    },
    onError: async (error) => {
      if (refusalOf(error) !== 'CONTENT_CHANGED') return;
      setSeen(entry);
      await current.refetch();
      await queryClient.invalidateQueries(answersOf('searchRegistryDirectory'));
    },
  });
  const forAdministrators = entry?.endpointKind === 'package' && memberOnly;
  const refusal = refusalOf(installing.error);
  const known = refusal === 'CONTENT_CHANGED' || refusal === 'ALREADY_CONNECTED';
  return (
    <FormDialog
      title={entry ? `Install ${cut(titleOf(entry), 80)}` : 'Install'}
      verb={seen ? 'Install as it is now' : 'Install'}
      busy={installing.isPending || current.isFetching}
      error={known ? undefined : installing.error}
      blocked={
        entry?.endpointKind === undefined ||
        forAdministrators ||
        (isAsked(entry) && endpointUrl.trim() === '')
      }
      wide={seen !== undefined}
      same={<Same operation="installRegistryDirectoryServer" input={input} />}
      onClose={onClose}
      onSubmit={() => installing.mutate()}
    >
      {current.isPending && <Skeleton lines={4} />}
      {current.isError && <Problem error={current.error} retry={() => void current.refetch()} />}
      {entry && seen && !current.isFetching && <WhatIsNew seen={seen} entry={entry} />}
      {entry && <Facts facts={factsOf(entry)} />}
      {entry && <Place entry={entry} endpointUrl={endpointUrl} onChange={setEndpointUrl} />}
      {forAdministrators && (
        <Note>Saving a command needs an administrator of the project. Ask one to install it.</Note>
      )}
      {refusal === 'ALREADY_CONNECTED' && <Elsewhere projectId={projectId} error={installing.error} />}
    </FormDialog>
  );
}

/** Whether there is an address to be given. */
function isAsked(entry: Entry | undefined): boolean {
  return entry?.endpointKind === 'options' || entry?.endpointKind === 'tenant';
}

function factsOf(entry: Entry): [string, string][] {
  return [
    ['Name', entry.serverName],
    ['Listed by', `${entry.source}, ${tierWords(entry.verifiedTier)}`],
    ['Sign-in', postureWords(entry.authPosture)],
  ];
}

function WhatIsNew({ seen, entry }: { seen: Entry; entry: Entry }) {
  return (
    <>
      <p>Its publisher has changed it since you looked at it. Nothing is installed yet.</p>
      <Changes label="What is new" before={said(seen)} after={said(entry)} names={names} />
    </>
  );
}

const names = {
  displayName: 'title',
  endpointKind: 'what it is',
  remoteUrl: 'address',
  remoteUrlOptions: 'addresses',
  remoteUrlHint: 'address to fill in',
  authPosture: 'sign-in',
  unavailableReason: 'cannot be installed',
};

/** What a reader looks at: the rest follows from it. */
function said({ id: _, latestContentHash: __, remoteUrlRegex: ___, ...entry }: Entry) {
  return entry;
}

/** Where it would be, or what would be run. */
function Place({
  entry,
  endpointUrl,
  onChange,
}: {
  entry: Entry;
  endpointUrl: string;
  onChange: (url: string) => void;
}) {
  switch (entry.endpointKind) {
    case 'options':
      return (
        <OneChoice
          legend="Which address?"
          choices={(entry.remoteUrlOptions ?? []).map((url) => ({ value: url, name: url }))}
          chosen={endpointUrl}
          onChange={onChange}
        />
      );
    case 'tenant':
      return (
        <Field
          label="Address"
          needed
          hint={
            <>
              Fill in what is between the braces: <code>{entry.remoteUrlHint}</code>
            </>
          }
        >
          <TextInput
            type="url"
            inputMode="url"
            spellCheck={false}
            placeholder="https://"
            value={endpointUrl}
            onChange={({ target }) => onChange(target.value)}
          />
        </Field>
      );
    case 'package':
      return (
        <>
          <p>
            This service will run a command on its own machine whenever the server is used, as it is, never
            through a shell:
          </p>
          <Code text={(entry.command ?? []).join(' ')} label="command" />
          <Note>
            It downloads the package and runs what its publisher wrote. Only administrators of the project may
            save commands, and only where this installation allows them.
          </Note>
        </>
      );
    case 'fixed':
      return (
        <p>
          It is saved with the address <code>{entry.remoteUrl}</code>
        </p>
      );
    default:
      return (
        <Note>It cannot be installed here: {entry.unavailableReason ?? 'its source does not say how'}</Note>
      );
  }
}

/** It is saved at another address. */
function Elsewhere({ projectId, error }: { projectId: string; error: unknown }) {
  const serverId = error instanceof DrydockError ? error.details['serverId'] : undefined;
  return (
    <Problem
      error={error}
      advice="Nothing was changed."
      back={
        typeof serverId === 'string' && (
          <Link to="/projects/$projectId/servers/$serverId" params={{ projectId, serverId }}>
            Open the saved server
          </Link>
        )
      }
    />
  );
}
