import { statusOfCode } from '../../src/contract/errors.ts';
import { isWrite, type Operation } from '../../src/contract/operation.ts';
import { consolePrincipals, expectedInConsole, inTheConsole } from './console-principals.ts';
import { isOfConsole, refusedHere } from './every-operation.ts';
import { isSoak } from './long.ts';
import { expectedRefusal, principals as keys, type Principal } from './principals.ts';

export const principals: readonly Principal[] = [...keys, inTheConsole];

export type Visibility = 'public' | 'private';

export interface Case {
  principal: Principal;
  refusal: ReturnType<typeof expectedRefusal>;
  status: number;
}

/** Callers that share resources: all refused ones, and the served ones, of which a write has only one. */
export interface Round {
  title: string;
  visibility: Visibility;
  refused: Case[];
  served: Case[];
}

/** An alias runs the code of its operation, so only the maker calls it. */
export function roundsOf(operation: Operation): Round[] {
  return (['public', 'private'] as const).flatMap((visibility) => {
    const callers = isOfConsole(operation) ? consolePrincipals : principals;
    const everybody = operation.alias ? callers.filter(({ standing }) => standing === 'maker') : callers;
    const expected = isOfConsole(operation) ? expectedInConsole : expectedRefusal;
    const cases = everybody
      .filter((principal) => (principal.visibility ?? 'public') === visibility)
      .map((principal): Case => {
        const refusal = expected(namingProject(operation), principal);
        const code = refusal?.code ?? refusedHere(operation)?.code;
        return { principal, refusal, status: code ? statusOfCode[code] : operation.status };
      });
    const refused = cases.filter(({ refusal }) => refusal);
    const served = cases.filter(({ refusal }) => !refusal);
    if (cases.length === 0) return [];
    const turns = isWrite(operation) && served.length > 0 ? turnsOf(operation, visibility, served) : [served];
    return turns.map((turn, index) => ({
      title: titleOf(visibility, index === 0 ? refused : [], turn),
      visibility,
      refused: index === 0 ? refused : [],
      served: turn,
    }));
  });
}

const turnsTaken = new Map<string, number>();

/**
 * Callers of a write take turns over the operations with the same access, because access is checked in one
 * place. In a soak run every caller writes, each in its own project.
 */
function turnsOf({ access }: Operation, visibility: Visibility, served: Case[]): Case[][] {
  if (isSoak) return served.map((one) => [one]);
  const kind = `${visibility} ${access}`;
  const turn = turnsTaken.get(kind) ?? 0;
  turnsTaken.set(kind, turn + 1);
  return [[served[turn % served.length] as Case]];
}

/** A project in the body is refused like a project in the path. */
function namingProject(operation: Operation): Operation {
  const { example, access } = operation;
  const named = access === 'key' && JSON.stringify(example ?? {}).includes('{projectId}');
  return named ? { ...operation, access: 'project member' } : operation;
}

function titleOf(visibility: Visibility, refused: Case[], served: Case[]): string {
  const names = served.map(({ principal }) => principal.name).join(', ');
  return [
    `in a ${visibility} project`,
    ...(refused.length > 0 ? [`refuses ${refused.length}`] : []),
    ...(names ? [`serves ${names}`] : []),
  ].join(', ');
}
