import type { Verb } from '../verbs.ts';

export const listOrganizations: Verb<'listOrganizations'> = ({ actor }) => {
  const { organization, role, user } = actor;
  return {
    items: [
      {
        id: organization.id,
        name: organization.name,
        plan: organization.plan,
        myRole: role,
        isCreator: organization.createdBy === user.id,
        logoUrl: organization.logoUrl,
        createdAt: organization.createdAt,
      },
    ],
  };
};
