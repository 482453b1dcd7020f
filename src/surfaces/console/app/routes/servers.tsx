import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { serverSearch } from '../addresses.ts';
import { serversSearch } from '../pages/servers/address.ts';
import { project } from './root.tsx';

const servers = createRoute({
  getParentRoute: () => project,
  path: 'servers',
  validateSearch: serversSearch,
  component: lazyRouteComponent(() => import('../pages/servers/servers-page.tsx'), 'ServersPage'),
});

const server = createRoute({
  getParentRoute: () => project,
  path: 'servers/$serverId',
  validateSearch: serverSearch,
  component: lazyRouteComponent(() => import('../pages/servers/server-page.tsx'), 'ServerPage'),
});

export const serverRoutes = [servers, server] as const;
