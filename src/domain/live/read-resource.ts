import type { Verb } from '../context/verb.ts';
import { withServer } from './reach.ts';

export const readResource: Verb<'readResource'> = (context, { body }) =>
  withServer(context, body, async ({ ask }) => (await ask('resources/read', { uri: body.uri })).result);
