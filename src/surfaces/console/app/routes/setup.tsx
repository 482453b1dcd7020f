import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { addSearch, editSearch, environmentsSearch } from '../pages/environments/address.ts';
import { pluginsSearch, skillsSearch } from '../pages/skills/address.ts';
import { project } from './root.tsx';

const getParentRoute = () => project;

const overview = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const environments = createRoute({
  getParentRoute,
  path: 'environments',
  validateSearch: environmentsSearch,
  component: lazyRouteComponent(
    () => import('../pages/environments/environments-page.tsx'),
    'EnvironmentsPage',
  ),
});

const environment = createRoute({
  getParentRoute,
  path: 'environments/$environmentId',
  validateSearch: editSearch,
  component: lazyRouteComponent(
    () => import('../pages/environments/environment-page.tsx'),
    'EnvironmentPage',
  ),
});

const clients = createRoute({
  getParentRoute,
  path: 'clients',
  validateSearch: addSearch,
  component: lazyRouteComponent(() => import('../pages/clients/clients-page.tsx'), 'ClientsPage'),
});

const client = createRoute({
  getParentRoute,
  path: 'clients/$clientId',
  validateSearch: editSearch,
  component: lazyRouteComponent(() => import('../pages/clients/client-page.tsx'), 'ClientPage'),
});

const secrets = createRoute({
  getParentRoute,
  path: 'secrets',
  validateSearch: addSearch,
  component: lazyRouteComponent(() => import('../pages/secrets/secrets-page.tsx'), 'SecretsPage'),
});

const skills = createRoute({
  getParentRoute,
  path: 'skills',
  validateSearch: skillsSearch,
  component: lazyRouteComponent(() => import('../pages/skills/skills-page.tsx'), 'SkillsPage'),
});

const plugins = createRoute({
  getParentRoute,
  path: 'plugins',
  validateSearch: pluginsSearch,
  component: lazyRouteComponent(() => import('../pages/plugins/plugins-page.tsx'), 'PluginsPage'),
});

const groups = createRoute({
  getParentRoute,
  path: 'groups',
  validateSearch: addSearch,
  component: lazyRouteComponent(() => import('../pages/groups/groups-page.tsx'), 'GroupsPage'),
});

const settings = createRoute({
  getParentRoute,
  path: 'settings',
  component: lazyRouteComponent(() => import('../pages/projects/project-page.tsx'), 'ProjectPage'),
});

/** What a project is made of beyond its servers and evals. */
export const setupRoutes = [
  overview,
  environments,
  environment,
  clients,
  client,
  secrets,
  skills,
  plugins,
  groups,
  settings,
] as const;
