import { createRoute } from '@tanstack/react-router';
import { pageFrom } from '../api/parts.ts';
import { addSearch, editSearch, environmentsSearch } from '../pages/environments/address.ts';
import { pluginsSearch, skillsSearch } from '../pages/skills/address.ts';
import { webhookSearch } from '../pages/webhooks/address.ts';
import { project } from './root.tsx';

const getParentRoute = () => project;

const overview = createRoute({
  getParentRoute,
  path: '/',
  component: pageFrom(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const environments = createRoute({
  getParentRoute,
  path: 'environments',
  validateSearch: environmentsSearch,
  component: pageFrom(() => import('../pages/environments/environments-page.tsx'), 'EnvironmentsPage'),
});

const environment = createRoute({
  getParentRoute,
  path: 'environments/$environmentId',
  validateSearch: editSearch,
  component: pageFrom(() => import('../pages/environments/environment-page.tsx'), 'EnvironmentPage'),
});

const clients = createRoute({
  getParentRoute,
  path: 'clients',
  validateSearch: addSearch,
  component: pageFrom(() => import('../pages/clients/clients-page.tsx'), 'ClientsPage'),
});

const client = createRoute({
  getParentRoute,
  path: 'clients/$clientId',
  validateSearch: editSearch,
  component: pageFrom(() => import('../pages/clients/client-page.tsx'), 'ClientPage'),
});

const secrets = createRoute({
  getParentRoute,
  path: 'secrets',
  validateSearch: addSearch,
  component: pageFrom(() => import('../pages/secrets/secrets-page.tsx'), 'SecretsPage'),
});

const skills = createRoute({
  getParentRoute,
  path: 'skills',
  validateSearch: skillsSearch,
  component: pageFrom(() => import('../pages/skills/skills-page.tsx'), 'SkillsPage'),
});

const plugins = createRoute({
  getParentRoute,
  path: 'plugins',
  validateSearch: pluginsSearch,
  component: pageFrom(() => import('../pages/plugins/plugins-page.tsx'), 'PluginsPage'),
});

const groups = createRoute({
  getParentRoute,
  path: 'groups',
  validateSearch: addSearch,
  component: pageFrom(() => import('../pages/groups/groups-page.tsx'), 'GroupsPage'),
});

const webhooks = createRoute({
  getParentRoute,
  path: 'webhooks',
  validateSearch: addSearch,
  component: pageFrom(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute,
  path: 'webhooks/$webhookId',
  validateSearch: webhookSearch,
  component: pageFrom(() => import('../pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
});

const settings = createRoute({
  getParentRoute,
  path: 'settings',
  component: pageFrom(() => import('../pages/projects/project-page.tsx'), 'ProjectPage'),
});

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
  webhooks,
  webhook,
  settings,
] as const;
