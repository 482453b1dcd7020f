import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DrydockError } from '../../../../client/index.ts';
import { useMemberOnly } from '../../api/features.ts';
import { api, ask, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Changes } from '../../kit/changes.tsx';
import { OneChoice } from '../../kit/choices.tsx';
import { Code } from '../../kit/code.tsx';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { Facts } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { cut } from '../../kit/text.ts';
import { toastInstalled } from './installed.tsx';
import { configurationLabel, type Entry, refusalOf, tierText, titleOf } from './labels.ts';

/** Asks for the values an install needs, and shows the current entry before it is installed. */
export function InstallDialog({
  projectId,
  id,
  seen: seenBefore,
  onClose,
}: {
  projectId: string;
  id: string;
  /** The entry as the user saw it, if it has changed since. */
  seen: Entry | undefined;
  onClose: () => void;
}) {
  const [seen, setSeen] = useState(seenBefore);
  const [endpointUrl, setEndpointUrl] = useState('');
  const memberOnly = useMemberOnly(projectId);
  const current = useQuery({
    ...ask('getRegistryDirectoryServer', { idOrName: id }),
    // The entry must not change while the user confirms it.
    refetchOnWindowFocus: false,
    staleTime: 0,
  });
  const entry = current.data;
  const input = {
    projectId,
    body: {
      catalogServerId: id,
      ...(needsAddress(entry) && { endpointUrl: endpointUrl.trim() }),
      ...(entry?.latestContentHash !== undefined && { expectedContentHash: entry.latestContentHash }),
    },
  };
  const installing = useSubmit(() => api.installRegistryDirectoryServer(input), {
    onDone: (answer) => {
      toastInstalled(answer);
      onClose();
    },
    onFail: async (error) => {
      if (refusalOf(error) !== 'CONTENT_CHANGED') return;
      setSeen(entry);
      await current.refetch();
    },
  });
  const forAdministrators = entry?.endpointKind === 'package' && memberOnly;
  const refusal = refusalOf(installing.error);
  const known = refusal === 'CONTENT_CHANGED' || refusal === 'ALREADY_CONNECTED';
  return (
    <FormDialog
      title={entry ? `Install ${cut(titleOf(entry), 80)}` : 'Install'}
      verb={seen ? 'Install current version' : 'Install'}
      action={known ? { ...installing, error: null } : installing}
      blocked={
        current.isFetching ||
        entry?.endpointKind === undefined ||
        forAdministrators ||
        (needsAddress(entry) && endpointUrl.trim() === '')
      }
      wide={seen !== undefined}
      example={<ApiExample operation="installRegistryDirectoryServer" input={input} />}
      onClose={onClose}
    >
      <QueryState of={current} lines={4} />
      {entry && seen && !current.isFetching && <EntryChanges seen={seen} entry={entry} />}
      {entry && <Facts facts={factsOf(entry)} />}
      {entry && <Place entry={entry} endpointUrl={endpointUrl} onChange={setEndpointUrl} />}
      {forAdministrators && (
        <Note>Only project administrators can install commands. Ask one to install it.</Note>
      )}
      {refusal === 'ALREADY_CONNECTED' && <Elsewhere projectId={projectId} error={installing.error} />}
    </FormDialog>
  );
}

/** Whether the user has to select or enter a URL. */
function needsAddress(entry: Entry | undefined): boolean {
  return entry?.endpointKind === 'options' || entry?.endpointKind === 'tenant';
}

function factsOf(entry: Entry): [string, string][] {
  return [
    ['Name', entry.serverName],
    ['Listed by', `${entry.source}, ${tierText(entry.verifiedTier)}`],
    ['Sign-in', configurationLabel(entry.authPosture)],
  ];
}

function EntryChanges({ seen, entry }: { seen: Entry; entry: Entry }) {
  return (
    <>
      <p>The entry changed since you opened it. Nothing has been installed.</p>
      <Changes label="Changes" before={comparable(seen)} after={comparable(entry)} names={names} />
    </>
  );
}

const names = {
  displayName: 'title',
  endpointKind: 'kind',
  remoteUrl: 'server URL',
  remoteUrlOptions: 'server URLs',
  remoteUrlHint: 'server URL template',
  authPosture: 'sign-in',
  unavailableReason: 'cannot be installed',
};

/** Fields compared for the user; the others derive from them. */
function comparable({ id: _, latestContentHash: __, remoteUrlRegex: ___, ...entry }: Entry) {
  return entry;
}

/** The URL of the server, or the command to run. */
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
          legend="Server URL"
          choices={(entry.remoteUrlOptions ?? []).map((url) => ({ value: url, name: url }))}
          chosen={endpointUrl}
          onChange={onChange}
        />
      );
    case 'tenant':
      return (
        <TextField
          label="Server URL"
          required
          hint={
            <>
              Replace the placeholders in braces: <code>{entry.remoteUrlHint}</code>
            </>
          }
          type="url"
          inputMode="url"
          spellCheck={false}
          placeholder="https://"
          value={endpointUrl}
          onChange={onChange}
        />
      );
    case 'package':
      return (
        <>
          <p>
            The service runs this command on its own machine, without a shell, whenever the server is used:
          </p>
          <Code text={(entry.command ?? []).join(' ')} label="command" />
          <Note>
            The command downloads and runs the publisher's package. Only project administrators can save
            commands, and only where this installation allows them.
          </Note>
        </>
      );
    case 'fixed':
      return (
        <p>
          Saved with the URL <code>{entry.remoteUrl}</code>
        </p>
      );
    default:
      return (
        <Note>
          Cannot be installed here: {entry.unavailableReason ?? 'the source has no install instructions'}
        </Note>
      );
  }
}

function Elsewhere({ projectId, error }: { projectId: string; error: unknown }) {
  const serverId = error instanceof DrydockError ? error.details['serverId'] : undefined;
  return (
    <Problem
      error={error}
      advice="Nothing was changed."
      back={
        typeof serverId === 'string' && (
          <Link to="/projects/$projectId/servers/$serverId" params={{ projectId, serverId }}>
            Open server
          </Link>
        )
      }
    />
  );
}
