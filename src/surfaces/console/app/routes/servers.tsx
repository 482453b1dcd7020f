import { createRoute } from '@tanstack/react-router';
import { serverSearch } from '../addresses.ts';
import { pageFrom } from '../api/parts.ts';
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

export const serverRoutes = [servers, server] as const;
