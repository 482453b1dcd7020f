import type { Verb } from '../context/verb.ts';
import { initInfoOf } from './init-info.ts';
import { noteOAuthDemand } from './oauth-demand.ts';
import { diagnosisWait, reach, recordOAuthDemand, requireGrant } from './reach.ts';
import { translated } from './refusal.ts';

/** Uses a new connection: a cached one would report the past state. */
export const validateServer: Verb<'validateServer'> = async (context, { body }) => {
  const reached = await reach(context, context.server, body);
  requireGrant(reached.server, body);
  const { server, target } = reached;
  try {
    const initInfo = await context.mcp.once(target, diagnosisWait(context, server), async ({ identity }) =>
      initInfoOf(identity, target),
    );
    await noteOAuthDemand(context, server, body, false);
    return { success: true, status: 'connected', initInfo };
  } catch (error) {
    throw await recordOAuthDemand(context, server, body, translated(error, server));
  }
};
