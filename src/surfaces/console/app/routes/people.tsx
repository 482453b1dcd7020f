import { createRoute, redirect } from '@tanstack/react-router';
import { signInSearch } from '../addresses.ts';
import { pageFrom } from '../api/parts.ts';
import { enterOrganization, knownSession } from '../api/session.ts';
import { auditSearch, keysSearch, projectMembersSearch } from '../pages/organization/address.ts';
import { cardsSearch } from '../pages/registry/address.ts';
import { arrivedWith } from '../pages/sign-in/arrival.ts';
import { takeFromAddress } from '../pages/sign-in/link-token.ts';
import { root } from './root.tsx';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: pageFrom(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  component: pageFrom(() => import('../pages/sign-in/forgot-page.tsx'), 'ForgotPage'),
});

const enter = createRoute({
  getParentRoute: () => root,
  path: '/enter',
  // Removes the token from the URL before anything renders or loads.
  beforeLoad: takeFromAddress,
  component: pageFrom(() => import('../pages/sign-in/enter-page.tsx'), 'EnterPage'),
});

const oidc = createRoute({
  getParentRoute: () => root,
  path: '/oidc',
  loader: () => arrivedWith,
  component: pageFrom(() => import('../pages/sign-in/oidc-page.tsx'), 'OidcPage'),
});

const setUp = createRoute({
  getParentRoute: () => root,
  path: '/set-up',
  component: pageFrom(() => import('../pages/sign-in/set-up-page.tsx'), 'SetUpPage'),
});

/** Routes of pages without the shell. */
export const entryRoutes = [signIn, forgot, enter, oidc, setUp] as const;

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: pageFrom(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
});

const installation = createRoute({
  getParentRoute: () => root,
  path: '/installation',
  component: pageFrom(() => import('../pages/installation/installation-page.tsx'), 'InstallationPage'),
});

/** The organization in the URL becomes the one of this tab. */
const organization = createRoute({
  getParentRoute: () => root,
  path: '/organizations/$organizationId',
  beforeLoad: async ({ params: { organizationId }, preload }) => {
    if (preload) return;
    const known = await knownSession();
    if (known.signedIn && known.organizations.some(({ id }) => id === organizationId))
      enterOrganization(organizationId);
  },
});

const organizationHome = createRoute({
  getParentRoute: () => organization,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/organizations/$organizationId/members', params });
  },
});

const settings = createRoute({
  getParentRoute: () => organization,
  path: 'settings',
  component: pageFrom(() => import('../pages/organization/settings-page.tsx'), 'SettingsPage'),
});

const members = createRoute({
  getParentRoute: () => organization,
  path: 'members',
  component: pageFrom(() => import('../pages/organization/members-page.tsx'), 'MembersPage'),
});

const projectMembers = createRoute({
  getParentRoute: () => organization,
  path: 'projects',
  validateSearch: projectMembersSearch,
  component: pageFrom(() => import('../pages/organization/project-members-page.tsx'), 'ProjectMembersPage'),
});

const keys = createRoute({
  getParentRoute: () => organization,
  path: 'keys',
  validateSearch: keysSearch,
  component: pageFrom(() => import('../pages/organization/keys-page.tsx'), 'KeysPage'),
});

const usage = createRoute({
  getParentRoute: () => organization,
  path: 'usage',
  component: pageFrom(() => import('../pages/organization/usage-page.tsx'), 'UsagePage'),
});

const audit = createRoute({
  getParentRoute: () => organization,
  path: 'audit',
  validateSearch: auditSearch,
  component: pageFrom(() => import('../pages/organization/audit-page.tsx'), 'AuditPage'),
});

const registry = createRoute({
  getParentRoute: () => organization,
  path: 'registry',
  validateSearch: cardsSearch,
  component: pageFrom(
    () => import('../pages/registry/organization-registry-page.tsx'),
    'OrganizationRegistryPage',
  ),
});

/** Routes for signed-in users: account, organization and installation. */
export const peopleRoutes = [
  account,
  installation,
  organization.addChildren([
    organizationHome,
    settings,
    members,
    projectMembers,
    keys,
    usage,
    audit,
    registry,
  ]),
] as const;
