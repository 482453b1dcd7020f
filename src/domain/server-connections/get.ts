import type { Verb } from '../verbs.ts';
import { presentConnection } from './present.ts';
import { connectionOf } from './rules.ts';

export const getServerConnection: Verb<'getServerConnection'> = async (context, { requestId }) =>
  presentConnection(context, await connectionOf(context, requestId));
