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
    id: z.string().describe('32 hexadecimal digits. Stable for a server name in a source.'),
    source: z.string(),
    serverName: z.string().describe('Name given by the publisher, like `io.github.someone/weather`.'),
    displayName: z.string().optional(),
    description: z.string().optional(),
    rowType: z.string().optional().describe('`remote`: a hosted server. `package`: a program to run.'),
    verifiedTier: z
      .string()
      .optional()
      .describe(
        '`bundled`: shipped with this service. `namespace`: the source verified that the publisher owns the name. `unverified`: not verified.',
      ),
    authPosture: z
      .string()
      .optional()
      .describe(
        '`header` or `environment`: the server declares that it needs such values. `none`: a package that needs none. `undeclared`: unknown until the first connection.',
      ),
    unavailableReason: z.string().optional().describe('Reason if the server cannot be installed here.'),
    endpointKind: z
      .string()
      .optional()
      .describe(
        '`fixed`: a single URL. `options`: one of several URLs. `tenant`: a URL with a part specific to you. `package`: a command that this service runs. Absent if the server cannot be installed.',
      ),
    remoteUrl: z.string().optional(),
    remoteUrlOptions: z.array(z.string()).optional(),
    remoteUrlRegex: z.string().optional().describe('Pattern that `endpointUrl` must match.'),
    remoteUrlHint: z.string().optional().describe('Description of the pattern.'),
    command: z
      .array(z.string())
      .optional()
      .describe('Command to run for `endpointKind` `package`, executed without a shell.'),
    latestContentHash: z
      .string()
      .optional()
      .describe('Send it as `expectedContentHash` when you install the server.'),
  })
  .meta({ id: 'CatalogServer' });

const filters = {
  q: z
    .string()
    .max(200)
    .optional()
    .describe('Words or prefixes to search for in name, title and description.'),
  source: z.string().max(100).optional().describe('Source to search. Default `all`.'),
  rowType: z.string().max(40).optional().describe('`remote` or `package`.'),
  endpointKind: z.string().max(40).optional().describe('`fixed`, `options`, `tenant` or `package`.'),
  verifiedTier: z.string().max(40).optional().describe('`bundled`, `namespace` or `unverified`.'),
  connectableOnly: z.enum(['true', 'false']).optional().describe('Only servers that can be installed here.'),
};

export const searchRegistryDirectory = directory({
  summary: 'Search the directory of MCP servers',
  description:
    'Searches all sources of this installation. Ordered by relevance, then by name. Accepts guest tokens of the directory.',
  command: 'registry search',
  argument: 'q',
  path: '/directory-servers',
  query: z.object({ ...filters, ...historyPage }),
  response: pageOf(CatalogServer, 'CatalogServerPage'),
});

export const getRegistryDirectoryServer = directory({
  summary: 'Read a server of the directory',
  description:
    'By ID, or by name with `/` encoded as `%2F`. If several sources have the name, `bundled` comes last; select one with `source`.',
  command: 'registry get',
  path: '/directory-servers/{idOrName}',
  query: z.object({
    source: z.string().max(100).optional().describe('Source of the name in the path.'),
  }),
  response: CatalogServer,
});

const CatalogSourceStatus = z
  .object({
    source: z.string(),
    lastSyncedAt: Time.optional().describe('Last complete sync.'),
    liveCount: z.number().int().optional().describe('Number of listed servers.'),
    upstreamFetchedAt: Time.optional().describe('Last successful request to the source.'),
    lastError: z
      .string()
      .optional()
      .describe('Error of the last failed sync. Previously synced servers are kept.'),
  })
  .meta({ id: 'CatalogSourceStatus' });

export const listRegistryDirectorySources = directory({
  summary: 'List the sources of the directory',
  description: 'Sources are configured with `DRYDOCK_REGISTRY_SOURCES`. The first page has all of them.',
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
    status: z.string().optional().describe('`active`, or `deprecated`: can no longer be installed.'),
    updatedAt: Time.optional().describe('Send it as `expectedUpdatedAt` when you install the card.'),
    transport: z
      .object({
        transportType: z.string().optional(),
        url: z.string().optional(),
        useOAuth: z.boolean().optional(),
        hasOAuthConfig: z
          .boolean()
          .optional()
          .describe('Whether an OAuth client is registered for the server.'),
        oauthScopes: z.array(z.string()).optional(),
      })
      .optional(),
  })
  .meta({ id: 'RegistryServer' });
export const RegistryServerPage = pageOf(RegistryServer, 'RegistryServerPage');

export const listRegistryServers = inProject({
  summary: 'List the cards that can be installed in a project',
  description: 'Servers that organization administrators have approved for projects.',
  command: 'registry cards',
  path: '/servers',
  query: z.object({
    scope: z
      .enum(['global', 'organization', 'all'])
      .default('all')
      .describe('This service has no global cards.'),
    ...lookupPage,
  }),
  response: RegistryServerPage,
});

const RegistryConnection = z
  .object({
    id: z.string(),
    kind: z
      .enum(['registry', 'catalog'])
      .describe('`registry`: installed from a card. `catalog`: installed from the directory.'),
    projectId: z.string(),
    serverId: z.string().describe('ID of the saved server.'),
    scope: z.enum(['global', 'organization']).optional(),
    serverName: z.string().optional().describe('Name of the saved server.'),
    registryServerId: z.string().optional().describe('ID of the card.'),
    catalogServerId: z.string().optional().describe('ID of the server in the directory.'),
    endpointUrl: z.string().optional().describe('URL of the installed server.'),
    endpointKind: z.string().optional(),
    connectedAt: Time.optional(),
  })
  .meta({ id: 'RegistryConnection' });

export const listRegistryConnections = inProject({
  summary: 'List the installed servers of a project',
  description:
    'Saved servers that were installed from a card or from the directory. Deleted servers are not listed.',
  command: 'registry connections',
  path: '/connections',
  query: z.object(lookupPage),
  response: pageOf(RegistryConnection, 'RegistryConnectionPage'),
});

const RegistryInstall = z
  .object({
    serverId: z.string(),
    serverName: z.string().describe('Name of the saved server.'),
    outcome: z
      .enum(['created', 'reconnected'])
      .describe('`reconnected`: the server was already installed and is returned.'),
  })
  .meta({ id: 'RegistryInstall' });

export const installRegistryDirectoryServer = inProject({
  summary: 'Install a server of the directory',
  description:
    'Saves the server without connecting to it; add required headers, tokens or variables afterwards. Installing it again returns the same saved server. A package is saved as a stdio server, with the restrictions of stdio servers. To uninstall, delete the saved server.',
  command: 'registry install',
  argument: 'catalogServerId',
  method: 'POST',
  path: '/directory-installs',
  body: z
    .strictObject({
      catalogServerId: z.string().min(1).max(300).describe('ID or name in the directory.'),
      endpointUrl: z
        .string()
        .max(4096)
        .optional()
        .describe('URL of the server. Required if `endpointKind` is `options` or `tenant`.'),
      expectedContentHash: z
        .string()
        .max(200)
        .optional()
        .describe('`latestContentHash` you read. Returns 409 if the server has changed since.'),
    })
    .meta({ id: 'DirectoryInstallRequest' }),
  example: { catalogServerId: '{catalogServerId}' },
  status: 201,
  response: RegistryInstall,
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND'],
  idempotency: 'transaction',
});

export const installRegistryServer = inProject({
  summary: 'Install the server of a card',
  description: 'Installing it again returns the same saved server, updated to the current URL of the card.',
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
        .describe('`updatedAt` you read. Returns 409 if the card has changed since.'),
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
  description: 'Deletes the installed server with all its data.',
  command: 'registry uninstall-card',
  method: 'DELETE',
  path: '/installs/{registryServerId}',
  response: z
    .object({ deleted: z.boolean().optional().describe('`false` if it was not installed.') })
    .meta({ id: 'RegistryUninstalled' }),
  errors: ['CONFLICT'],
});
