import { Refusal } from '../../../contract/errors.ts';
import { type Evidence, type Known, known, type SkillFacts, unknown } from '../../../readiness/evidence.ts';
import type { ServerContext } from '../../context/context.ts';
import { checkServerContract } from '../../contract-checks/check.ts';
import { listServerSkills } from '../../server-skills/list.ts';
import { briefly } from './inspected-server.ts';

const maxNamed = 100;
const maxTextLength = 300;

/** Skills of the server, by whether they could be imported. */
export async function skills(context: ServerContext): Promise<Known<SkillFacts>> {
  try {
    const answer = await listServerSkills(context, { ...placeOf(context), body: {} });
    const duplicates = answer.duplicateUris.map((uri) => `${uri}: listed more than once`);
    const refused = answer.rejected.map(
      ({ skillUri = 'An entry', reason = 'it does not follow the extension' }) => `${skillUri}: ${reason}`,
    );
    return known({
      names: answer.skills.map(({ name }) => name.slice(0, maxTextLength)).slice(0, maxNamed),
      rejected: [...duplicates, ...refused].slice(0, maxNamed).map((one) => one.slice(0, maxTextLength)),
    });
  } catch (error) {
    return refusedAs(error);
  }
}

/** Compares the server with its saved contract baseline; null if no baseline is saved. */
export async function baseline(context: ServerContext): Promise<Evidence['baseline']> {
  try {
    const { counts } = await checkServerContract(context, {
      ...placeOf(context),
      body: { failOn: 'breaking' },
    });
    const { breaking, risky, safe } = counts;
    return known({ same: breaking + risky + safe === 0, breaking, risky });
  } catch (error) {
    if (error instanceof Refusal && error.details?.['reason'] === 'BASELINE_NOT_FOUND') return known(null);
    return refusedAs(error);
  }
}

function placeOf({ project, server }: ServerContext): { projectId: string; serverId: string } {
  return { projectId: project.id, serverId: server.id };
}

function refusedAs(error: unknown): ReturnType<typeof unknown> {
  if (error instanceof Refusal) return unknown(briefly(error.message));
  throw error;
}
