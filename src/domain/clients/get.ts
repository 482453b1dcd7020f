import type { Verb } from '../context/verb.ts';
import { clientCalled } from './find.ts';
import { presentClient } from './present.ts';

export const getClient: Verb<'getClient'> = async (context, { client, includePrivateBacking }) => {
  const { db, project } = context;
  return presentClient(db, await clientCalled(db, project.id, client, includePrivateBacking === 'true'));
};
