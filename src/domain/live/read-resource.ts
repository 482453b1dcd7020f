import type { Verb } from '../verbs.ts';
import { withServer } from './reach.ts';

export const readResource: Verb<'readResource'> = (context, { serverId, body }) =>
  withServer(
    context,
    serverId,
    body,
    async ({ ask }) => (await ask('resources/read', { uri: body.uri })).result,
  );
