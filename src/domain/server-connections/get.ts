import type { Verb } from '../context/verb.ts';
import { presentConnection } from './present.ts';
import { connectionOf } from './rules.ts';

export const getServerConnection: Verb<'getServerConnection'> = async (context, { connectionRequestId }) =>
  presentConnection(context, await connectionOf(context, connectionRequestId));
