import * as clients from '../../platform/database/queries/clients.ts';
import { type PageRequest, pageById } from '../base/paging.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { clientCalled } from './find.ts';
import { presentClient, presentRow } from './present.ts';

export const listClients: Verb<'listClients'> = (context, { includePrivateBacking, ...page }) =>
  pageOfClients(context, 'clients', includePrivateBacking === 'true', page, presentRow);

/** The cursor scope contains the path, since each path that lists clients has its own cursors. */
export function pageOfClients<Item>(
  context: ProjectContext,
  list: string,
  withPrivate: boolean,
  page: PageRequest,
  present: (row: clients.ClientRow) => Item,
): Promise<{ items: Item[]; nextCursor?: string }> {
  const { db, project } = context;
  const fetch = (after: string, most: number) =>
    db.rows(clients.list, { projectId: project.id, withPrivate, after, most });
  return pageById(context, [list, project.id, withPrivate], page, fetch, present);
}

export const getClient: Verb<'getClient'> = async (context, { client, includePrivateBacking }) => {
  const { db, project } = context;
  return presentClient(db, await clientCalled(db, project.id, client, includePrivateBacking === 'true'));
};
