import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { historyPage, lookupPage, pageOf, Time } from './paging.ts';

const directory = operationsIn({
  area: 'Registry',
  path: '/registry',
  access: 'directory reader',
});

const inProject = operationsIn({
  area: 'Registry',
  path: '/projects/{projectId}/registry',
  access: 'project member',
});

const CatalogServer = z
  .object({
    id: z.string().describe('32 hexadecimal digits that stay the same for a name of a source.'),
    source: z.string(),
    serverName: z.string().describe('As its publisher calls it, like `io.github.someone/weather`.'),
    displayName: z.string().optional(),
    description: z.string().optional(),
    rowType: z.string().optional().describe('`remote`: it runs somewhere. `package`: it has to be run.'),
    verifiedTier: z
      .string()
      .optional()
      .describe(
        '`bundled`: it came with this service. `namespace`: its source says that the publisher owns the name. `unverified`: nobody says anything.',
      ),
    authPosture: z
      .string()
      .optional()
      .describe(
        '`header` or `environment`: it says that it needs such values. `none`: a package that needs none. `undeclared`: only asking it tells.',
      ),
    unavailableReason: z.string().optional().describe('Why it cannot be installed here.'),
    endpointKind: z
      .string()
      .optional()
      .describe(
        '`fixed`: one address. `options`: one of several. `tenant`: an address with a part of your own. `package`: a command that this service runs. Absent when it cannot be installed.',
      ),
    remoteUrl: z.string().optional(),
    remoteUrlOptions: z.array(z.string()).optional(),
    remoteUrlRegex: z.string().optional().describe('What `endpointUrl` has to look like.'),
    remoteUrlHint: z.string().optional().describe('The same for people.'),
    command: z
      .array(z.string())
      .optional()
      .describe('What is run where `endpointKind` is `package`, as it is, never through a shell.'),
    latestContentHash: z.string().optional().describe('Send it as `expectedContentHash` with an install.'),
  })
  .meta({ id: 'CatalogServer' });

const filters = {
  q: z.string().max(200).optional().describe('Words of its name, title or description, or their beginnings.'),
  source: z.string().max(100).optional().describe('One source; `all`, or left out, means all of them.'),
  rowType: z.string().max(40).optional().describe('`remote` or `package`.'),
  endpointKind: z.string().max(40).optional().describe('`fixed`, `options`, `tenant` or `package`.'),
  verifiedTier: z.string().max(40).optional().describe('`bundled`, `namespace` or `unverified`.'),
  connectableOnly: z.enum(['true', 'false']).optional().describe('Only those that can be installed here.'),
};

export const searchRegistryDirectory = directory({
  summary: 'Search the directory of MCP servers',
  description:
    'What the sources of this installation list. The best matches come first, then in order of their names. Guest tokens of the directory are taken.',
  command: 'registry search',
  argument: 'q',
  path: '/directory-servers',
  query: z.object({ ...filters, ...historyPage }),
  response: pageOf(CatalogServer, 'CatalogServerPage'),
});

export const getRegistryDirectoryServer = directory({
  summary: 'Read a server of the directory',
  description:
    'By its id, or by its name with `/` written as `%2F`. A name that several sources have is that of a source other than `bundled`, unless `source` says which.',
  command: 'registry get',
  path: '/directory-servers/{idOrName}',
  query: z.object({
    source: z.string().max(100).optional().describe('The path is a name in this source.'),
  }),
  response: CatalogServer,
});

const CatalogSourceStatus = z
  .object({
    source: z.string(),
    lastSyncedAt: Time.optional().describe('When it was last read to the end.'),
    liveCount: z.number().int().optional().describe('How many servers it lists.'),
    upstreamFetchedAt: Time.optional().describe('When it was last asked, and answered.'),
    lastError: z.string().optional().describe('Why the last attempt came to nothing; what was there stays.'),
  })
  .meta({ id: 'CatalogSourceStatus' });

export const listRegistryDirectorySources = directory({
  summary: 'List the sources of the directory',
  description: 'The operator names them in `DRYDOCK_REGISTRY_SOURCES`. All are on the first page.',
  command: 'registry sources',
  path: '/directory-sources',
  query: z.object(lookupPage),
  response: pageOf(CatalogSourceStatus, 'CatalogSourceStatusPage'),
});

export const RegistryServer = z
  .object({
    id: z.string(),
    scope: z.enum(['global', 'organization']),
    name: z.string(),
    displayName: z.string().optional(),
    description: z.string().optional(),
    category: z.string().optional(),
    tags: z.array(z.string()).optional(),
    publisher: z.string().optional(),
    status: z.string().optional().describe('`active`, or `deprecated`: it is not installed any more.'),
    updatedAt: Time.optional().describe('Send it as `expectedUpdatedAt` with an install.'),
    transport: z
      .object({
        transportType: z.string().optional(),
        url: z.string().optional(),
        useOAuth: z.boolean().optional(),
        hasOAuthConfig: z.boolean().optional().describe('An OAuth client is registered for it.'),
        oauthScopes: z.array(z.string()).optional(),
      })
      .optional(),
  })
  .meta({ id: 'RegistryServer' });
export const RegistryServerPage = pageOf(RegistryServer, 'RegistryServerPage');

export const listRegistryServers = inProject({
  summary: 'List the cards that can be installed in a project',
  description: 'Servers that administrators of the organization have chosen for its projects.',
  command: 'registry cards',
  path: '/servers',
  query: z.object({
    scope: z
      .enum(['global', 'organization', 'all'])
      .default('all')
      .describe('There are no global ones here.'),
    ...lookupPage,
  }),
  response: RegistryServerPage,
});

const RegistryConnection = z
  .object({
    id: z.string(),
    kind: z.enum(['registry', 'catalog']).describe('Installed from a card, or from the directory.'),
    projectId: z.string(),
    serverId: z.string().describe('The saved server.'),
    scope: z.enum(['global', 'organization']).optional(),
    serverName: z.string().optional().describe('Of the saved server.'),
    registryServerId: z.string().optional().describe('The card.'),
    catalogServerId: z.string().optional().describe('The server of the directory.'),
    endpointUrl: z.string().optional().describe('Where it was installed to.'),
    endpointKind: z.string().optional(),
    connectedAt: Time.optional(),
  })
  .meta({ id: 'RegistryConnection' });

export const listRegistryConnections = inProject({
  summary: 'List what was installed in a project',
  description:
    'Saved servers that came from a card or from the directory; those deleted since are not listed.',
  command: 'registry connections',
  path: '/connections',
  query: z.object(lookupPage),
  response: pageOf(RegistryConnection, 'RegistryConnectionPage'),
});

const RegistryInstall = z
  .object({
    serverId: z.string(),
    serverName: z.string().describe('Of the saved server.'),
    outcome: z
      .enum(['created', 'reconnected'])
      .describe('`reconnected`: the same was installed before, and is the same saved server.'),
  })
  .meta({ id: 'RegistryInstall' });

export const installRegistryDirectoryServer = inProject({
  summary: 'Save a server of the directory in a project',
  description:
    'The server is saved, not connected: headers, tokens or variables that it needs are given to it afterwards. Installing it again leads to the same saved server. A package is saved as a stdio server, for which the rules of such hold. Deleting the saved server undoes it.',
  command: 'registry install',
  argument: 'catalogServerId',
  method: 'POST',
  path: '/directory-installs',
  body: z
    .strictObject({
      catalogServerId: z.string().min(1).max(300).describe('Its id in the directory, or its name.'),
      endpointUrl: z
        .string()
        .max(4096)
        .optional()
        .describe('Where it is; needed when `endpointKind` is `options` or `tenant`.'),
      expectedContentHash: z
        .string()
        .max(200)
        .optional()
        .describe('`latestContentHash` as you saw it: refused with 409 when the server was changed since.'),
    })
    .meta({ id: 'DirectoryInstallRequest' }),
  example: { catalogServerId: '{catalogServerId}' },
  status: 201,
  response: RegistryInstall,
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND'],
  idempotency: 'transaction',
});

export const installRegistryServer = inProject({
  summary: 'Save the server of a card in a project',
  description: 'Installing it again leads to the same saved server, moved along if the card has moved.',
  command: 'registry install-card',
  argument: 'registryServerId',
  method: 'POST',
  path: '/installs',
  body: z
    .strictObject({
      registryServerId: z.string().min(1).max(200),
      expectedUpdatedAt: z
        .number()
        .optional()
        .describe('`updatedAt` as you saw it: refused with 409 when the card was changed since.'),
    })
    .meta({ id: 'RegistryInstallRequest' }),
  example: { registryServerId: '{registryServerId}' },
  status: 201,
  response: RegistryInstall,
  errors: ['CONFLICT', 'NOT_FOUND'],
  idempotency: 'transaction',
});

export const uninstallRegistryServer = inProject({
  summary: 'Uninstall a card from a project',
  description: 'Deletes the server that was saved for it, with everything stored for that server.',
  command: 'registry uninstall-card',
  method: 'DELETE',
  path: '/installs/{registryServerId}',
  response: z
    .object({ deleted: z.boolean().optional().describe('False when it was not installed.') })
    .meta({ id: 'RegistryUninstalled' }),
  errors: ['CONFLICT'],
});
