import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, askPages, useInfiniteQuery, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Changes } from '../../kit/changes.tsx';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { toastError } from '../../kit/toast.tsx';
import { useOrganization } from '../../shell/organization.ts';
import { ServerUses } from '../servers/server-uses.tsx';
import { aboutColumns } from './card-columns.tsx';
import { type Installed, InstalledMark, toastInstalled } from './installed.tsx';
import { type Card, refusalOf } from './labels.ts';
import css from './registry.module.css';

export function Cards({ projectId, installed }: { projectId: string; installed: Installed }) {
  const cards = useInfiniteQuery(askPages('listRegistryServers', { projectId, limit: 50 }));
  const organization = useOrganization();
  return (
    <Section
      title="From your organization"
      actions={
        <>
          <ApiExample operation="listRegistryServers" input={{ projectId }} />
          {organization && (
            <Link
              to="/organizations/$organizationId/registry"
              params={{ organizationId: organization.id }}
              className={css.way}
            >
              {organization.role === 'member' ? 'All cards' : 'Manage cards'}
            </Link>
          )}
        </>
      }
    >
      <QueryTable of={cards} lines={2} label="Organization cards" columns={columnsOf(projectId, installed)}>
        <Note>No cards yet. Administrators can add servers for the organization's projects.</Note>
      </QueryTable>
    </Section>
  );
}

function columnsOf(projectId: string, installed: Installed): Column<Card>[] {
  return [
    ...aboutColumns,
    {
      name: 'Install',
      figure: true,
      cell: (card) => <InstallCard projectId={projectId} card={card} installed={installed} />,
    },
  ];
}

function InstallCard({
  projectId,
  card,
  installed,
}: {
  projectId: string;
  card: Card;
  installed: Installed;
}) {
  const connection = installed.get(card.id);
  // The card as the user saw it, if it has changed since.
  const [seen, setSeen] = useState<Card>();
  const input = {
    projectId,
    body: {
      registryServerId: card.id,
      ...(card.updatedAt !== undefined && { expectedUpdatedAt: card.updatedAt }),
    },
  };
  const installing = useSubmit(() => api.installRegistryServer(input), {
    onDone: (answer) => {
      setSeen(undefined);
      toastInstalled(answer);
    },
    onFail: (error) => (refusalOf(error) === 'CARD_CHANGED' ? setSeen(card) : toastError(error)),
  });
  const moved = connection?.endpointUrl !== undefined && connection.endpointUrl !== card.transport?.url;
  const button = (words: string) => (
    <Button aria-label={`${words} ${card.name}`} action={installing}>
      {words}
    </Button>
  );
  return (
    <span className={css.actions}>
      {connection && <InstalledMark connection={connection} />}
      {card.status !== 'deprecated' && !connection && button('Install')}
      {card.status !== 'deprecated' && moved && button('Update')}
      {connection && (
        <Uninstall
          projectId={projectId}
          card={card}
          server={{ id: connection.serverId, name: connection.serverName ?? card.name }}
        />
      )}
      {seen && (
        <FormDialog
          title={`${card.name} has changed`}
          verb="Install current version"
          action={{ ...installing, error: null }}
          blocked={seen.updatedAt === card.updatedAt}
          example={<ApiExample operation="installRegistryServer" input={input} />}
          onClose={() => setSeen(undefined)}
        >
          <p>The card changed since you opened it. Nothing has been installed.</p>
          <Changes label="Changes" before={comparable(seen)} after={comparable(card)} names={names} />
        </FormDialog>
      )}
    </span>
  );
}

const names = {
  displayName: 'title',
  'transport.url': 'server URL',
  'transport.useOAuth': 'OAuth',
  'transport.hasOAuthConfig': 'OAuth client',
  'transport.oauthScopes': 'OAuth scopes',
};

/** Omits the timestamp, which every edit changes. */
function comparable({ updatedAt: _, ...card }: Card): Omit<Card, 'updatedAt'> {
  return card;
}

function Uninstall({
  projectId,
  card,
  server,
}: {
  projectId: string;
  card: Card;
  server: { id: string; name: string };
}) {
  const input = { projectId, registryServerId: card.id };
  return (
    <ConfirmButton
      variant="quiet"
      label="Uninstall"
      aria-label={`Uninstall ${card.name}`}
      question={`Uninstall ${card.name}?`}
      write={() => api.uninstallRegistryServer(input)}
      says={`${card.name} uninstalled`}
      example={<ApiExample operation="uninstallRegistryServer" input={input} />}
    >
      <WhatIsDeleted projectId={projectId} server={server} />
    </ConfirmButton>
  );
}

function WhatIsDeleted({ projectId, server }: { projectId: string; server: { id: string; name: string } }) {
  const saved = useQuery(ask('getProjectServer', { projectId, serverId: server.id }));
  const stored = saved.data ? [...saved.data.headerNames, ...saved.data.envNames] : [];
  return (
    <>
      <p>
        The saved server <strong>{server.name}</strong> is deleted with everything stored for it: its tokens
        {stored.length > 0 && `, the values of ${stored.join(', ')}`} and its baseline. Past runs keep what
        they recorded. The card stays.
      </p>
      <ServerUses projectId={projectId} server={server} />
    </>
  );
}
