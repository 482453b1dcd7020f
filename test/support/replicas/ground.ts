import { promptCase, scriptedModel } from '../evals.ts';
import type { Grant } from '../tunnels.ts';
import { Caller } from './caller.ts';
import type { Fleet } from './fleet.ts';
import { trialWords } from './models.ts';
import { Tunnel } from './tunnel.ts';

/** Size of each eval run in cases and repetitions, and of each swarm in targets and sessions. */
export const cases = 4;
export const repetitions = 8;
export const targets = 3;
export const sessionsPerTarget = 3;

/** Resources that the loads need, created before the first disturbance. */
export interface Ground {
  caller: Caller;
  project: string;
  serverId: string;
  suiteIds: [string, string];
  journeyId: string;
  tunnel: Tunnel;
}

export async function prepare(fleet: Fleet): Promise<Ground> {
  const caller = new Caller(fleet.front.origin);
  const made = (path: string, body: object) => caller.json('prepare', 'POST', path, { body });
  const { items } = await caller.json('prepare', 'GET', '/projects');
  const project = `/projects/${items[0].id}`;
  const { id: serverId } = await made(`${project}/servers`, { name: 'harbour', url: fleet.demo.url });
  const tests = Array.from({ length: cases }, (_, nth) =>
    // Half of the cases fail, because the model does not say the needle, so that both verdicts occur.
    promptCase(`Case ${nth}`, `${trialWords} ${nth}?`, {
      type: 'responseContains',
      needle: nth % 2 === 0 ? 'Albatross' : 'Titanic',
    }),
  );
  const suite = { serverIds: [serverId], model: scriptedModel, repetitions, passThreshold: 1, tests };
  const { suiteId: first } = await made(`${project}/eval-suites`, { name: 'first', ...suite });
  const { suiteId: second } = await made(`${project}/eval-suites`, { name: 'second', ...suite });
  const hostIds: string[] = [];
  for (let nth = 0; nth < targets; nth++) {
    const config = { modelId: scriptedModel, serverIds: [serverId] };
    hostIds.push((await made(`${project}/clients`, { name: `client ${nth}`, config })).id);
  }
  const persona = await made(`${project}/personas`, { name: 'Ada', role: 'harbour master' });
  const { id: journeyId } = await made(`${project}/journeys`, {
    goal: 'Which ships are here?',
    personaId: persona.id,
    hostIds,
    sessionsPerTarget,
    maxTurns: 10,
    rubric: {
      criteria: [{ id: 'lists', predicate: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' } }],
    },
  });
  const grant = (await made(`${project}/tunnels`, { name: 'laptop' })) as Grant;
  const tunnel = new Tunnel(grant, fleet.demo.url, () => fleet.relay());
  await tunnel.opened;
  return { caller, project, serverId, suiteIds: [first, second], journeyId, tunnel };
}
