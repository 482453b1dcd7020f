import * as organizations from '../../platform/database/queries/organizations.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';

export const listOrganizations: Verb<'listOrganizations'> = (context, page) => {
  const { actor, db } = context;
  const fetch = async (after: string) => {
    const own = await db.row(organizations.find, { id: actor.organization.id });
    return own && own.id > after ? [own] : [];
  };
  return pageById(context, ['organizations', actor.user.id], page, fetch, ({ createdBy, ...shown }) => ({
    ...shown,
    myRole: actor.role,
    isCreator: createdBy === actor.user.id,
  }));
};
