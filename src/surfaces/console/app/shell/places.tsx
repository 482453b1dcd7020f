import type { ReactNode } from 'react';
import type { MyOrganization } from '../api/session.ts';
import {
  AuditIcon,
  ChatIcon,
  ClientsIcon,
  EnvironmentsIcon,
  GroupsIcon,
  KeyIcon,
  OverviewIcon,
  PeopleIcon,
  PluginsIcon,
  ProjectsIcon,
  RegistryIcon,
  RunsIcon,
  SecretsIcon,
  ServersIcon,
  SettingsIcon,
  SkillsIcon,
  StudiesIcon,
  SuitesIcon,
  SwarmsIcon,
  UsageIcon,
  WebhooksIcon,
} from '../kit/icons.tsx';

/** Pages of a project in the navigation and the search. */
export const places = [
  { to: '/projects/$projectId', name: 'Overview', icon: <OverviewIcon /> },
  { to: '/projects/$projectId/servers', name: 'Servers', icon: <ServersIcon /> },
  { to: '/projects/$projectId/registry', name: 'Registry', icon: <RegistryIcon /> },
  { to: '/projects/$projectId/sessions', name: 'Chat', icon: <ChatIcon /> },
  // Evals.
  { to: '/projects/$projectId/suites', name: 'Suites', icon: <SuitesIcon /> },
  { to: '/projects/$projectId/runs', name: 'Runs', icon: <RunsIcon /> },
  { to: '/projects/$projectId/swarms', name: 'Swarms', icon: <SwarmsIcon /> },
  { to: '/projects/$projectId/studies', name: 'Studies', icon: <StudiesIcon /> },
  // Setup.
  { to: '/projects/$projectId/environments', name: 'Environments', icon: <EnvironmentsIcon /> },
  { to: '/projects/$projectId/clients', name: 'Clients', icon: <ClientsIcon /> },
  { to: '/projects/$projectId/secrets', name: 'Secrets', icon: <SecretsIcon /> },
  { to: '/projects/$projectId/groups', name: 'Server groups', icon: <GroupsIcon /> },
  { to: '/projects/$projectId/skills', name: 'Skills', icon: <SkillsIcon /> },
  { to: '/projects/$projectId/plugins', name: 'Plugins', icon: <PluginsIcon /> },
  { to: '/projects/$projectId/webhooks', name: 'Webhooks', icon: <WebhooksIcon /> },
  { to: '/projects/$projectId/settings', name: 'Project', icon: <SettingsIcon /> },
] as const satisfies { to: string; name: string; icon: ReactNode }[];

/** Pages of an organization; some are for admins only. */
const organizationPlaces = [
  { to: '/organizations/$organizationId/members', name: 'Members', icon: <PeopleIcon />, admin: false },
  {
    to: '/organizations/$organizationId/projects',
    name: 'Project access',
    icon: <ProjectsIcon />,
    admin: false,
  },
  { to: '/organizations/$organizationId/keys', name: 'API keys', icon: <KeyIcon />, admin: false },
  { to: '/organizations/$organizationId/usage', name: 'Usage', icon: <UsageIcon />, admin: false },
  {
    to: '/organizations/$organizationId/registry',
    name: 'Organization registry',
    icon: <RegistryIcon />,
    admin: false,
  },
  { to: '/organizations/$organizationId/audit', name: 'Audit log', icon: <AuditIcon />, admin: true },
  { to: '/organizations/$organizationId/settings', name: 'Settings', icon: <SettingsIcon />, admin: true },
] as const satisfies { to: string; name: string; icon: ReactNode; admin: boolean }[];

export function placesOf({ role }: Pick<MyOrganization, 'role'>) {
  return organizationPlaces.filter(({ admin }) => !admin || role !== 'member');
}
