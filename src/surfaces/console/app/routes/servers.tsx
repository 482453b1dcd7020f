import { createRoute } from '@tanstack/react-router';
import { serverSearch } from '../addresses.ts';
import { pageFrom } from '../api/parts.ts';
import { registrySearch } from '../pages/registry/address.ts';
import { serversSearch } from '../pages/servers/address.ts';
import { project } from './root.tsx';

const servers = createRoute({
  getParentRoute: () => project,
  path: 'servers',
  validateSearch: serversSearch,
  component: pageFrom(() => import('../pages/servers/servers-page.tsx'), 'ServersPage'),
});

const server = createRoute({
  getParentRoute: () => project,
  path: 'servers/$serverId',
  validateSearch: serverSearch,
  component: pageFrom(() => import('../pages/servers/server-page.tsx'), 'ServerPage'),
});

const registry = createRoute({
  getParentRoute: () => project,
  path: 'registry',
  validateSearch: registrySearch,
  component: pageFrom(() => import('../pages/registry/registry-page.tsx'), 'RegistryPage'),
});

const conformance = createRoute({
  getParentRoute: () => project,
  path: 'conformance',
  component: pageFrom(() => import('../pages/conformance/conformance-page.tsx'), 'ConformancePage'),
});

const conformanceRun = createRoute({
  getParentRoute: () => project,
  path: 'conformance/$runId',
  component: pageFrom(() => import('../pages/conformance/conformance-run-page.tsx'), 'ConformanceRunPage'),
});

export const serverRoutes = [servers, server, registry, conformance, conformanceRun] as const;
