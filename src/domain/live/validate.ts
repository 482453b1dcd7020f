import type { Verb } from '../verb.ts';
import { initInfoOf } from './init-info.ts';
import { diagnosisWait, reach, requireGrant } from './reach.ts';
import { translated } from './refusal.ts';

/** Over a connection of its own: a warm one would say how the server was, not how it is. */
export const validateServer: Verb<'validateServer'> = async (context, { body }) => {
  const reached = await reach(context, context.server, body);
  requireGrant(reached, body);
  const { server, target } = reached;
  try {
    return await context.mcp.once(target, diagnosisWait(context, server), async ({ identity }) => ({
      success: true,
      status: 'connected',
      initInfo: initInfoOf(identity, target),
    }));
  } catch (error) {
    throw translated(error, server);
  }
};
