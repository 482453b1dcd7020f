import type { Input, Output } from '../../api/index.ts';

type Generated = Output<'generatePersonas'>;
export type Candidate = NonNullable<Generated['personas']>[number];
type JourneyBody = Input<'createJourney'>['body'];

export function candidatesOf({ persona, personas, journeys }: Generated): Candidate[] {
  if (personas) return personas;
  return persona ? [{ persona, journeys: journeys ?? [] }] : [];
}

export interface Offer {
  environmentId: string | undefined;
  serverAttachmentId: string | undefined;
  hostId: string | undefined;
}

const sizes = { sessionsPerTarget: 3, maxTurns: 6 };
const maxNameLength = 120;

export function personaBody({ persona: { name, role, notes } }: Candidate): Input<'createPersona'>['body'] {
  return {
    name: name.slice(0, maxNameLength),
    role: role.slice(0, maxNameLength),
    ...(notes !== undefined && { notes: notes.slice(0, 2000) }),
  };
}

/** Request body for a drafted journey; suggested checks become its rubric. */
export function journeyBody(
  { name, goal, suggestedChecks = [] }: Candidate['journeys'][number],
  personaId: string,
  { environmentId, serverAttachmentId, hostId }: Offer,
): JourneyBody {
  const tools = [...new Set(suggestedChecks.map(({ toolName }) => toolName))];
  return {
    ...(name !== undefined && { name: name.slice(0, maxNameLength) }),
    goal,
    personaId,
    ...(environmentId !== undefined && { environmentIds: [environmentId] }),
    ...(serverAttachmentId !== undefined && { serverAttachmentId }),
    ...(environmentId === undefined && hostId !== undefined && { hostIds: [hostId] }),
    ...sizes,
    ...(tools.length > 0 && {
      rubric: {
        criteria: tools.map((toolName, at) => ({
          id: `calls-${at + 1}`,
          label: `Calls ${toolName}`.slice(0, 200),
          predicate: { type: 'toolCalledAtLeastOnce' as const, toolName },
        })),
      },
    }),
  };
}
