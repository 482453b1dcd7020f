import type { Input } from '../../../api/index.ts';
import type { Schema } from '../../../kit/form/schema.ts';
import type { Journey } from './journey-labels.ts';

type Created = Input<'createJourney'>['body'];
type Changed = Input<'updateJourney'>['body'];

/** A journey as form values. Rates are in percent. */
export interface JourneyDraft {
  name: string;
  goal: string;
  personaId: string;
  swarmId: string;
  place: 'environments' | 'clients';
  environmentIds: string[];
  hostIds: string[];
  serverAttachmentId: string;
  sessionsPerTarget: string;
  maxTurns: string;
  criteria: Schema[];
  judged: boolean;
  judgeModel: string;
  judgeThreshold: string;
  passThreshold: string;
}

export const newJourney: JourneyDraft = {
  name: '',
  goal: '',
  personaId: '',
  swarmId: '',
  place: 'clients',
  environmentIds: [],
  hostIds: [],
  serverAttachmentId: '',
  sessionsPerTarget: '3',
  maxTurns: '6',
  criteria: [],
  judged: true,
  judgeModel: '',
  judgeThreshold: '70',
  passThreshold: '100',
};

export function draftOf(journey: Journey): JourneyDraft {
  const { judge, rubric, sessionsPerTarget, maxTurns } = journey;
  return {
    name: journey.name,
    goal: journey.goal,
    personaId: journey.personaId,
    swarmId: journey.swarmId ?? '',
    place: journey.environmentIds.length > 0 ? 'environments' : 'clients',
    environmentIds: journey.environmentIds,
    hostIds: journey.hostIds,
    serverAttachmentId: journey.serverAttachmentId ?? '',
    sessionsPerTarget: sessionsPerTarget === null ? newJourney.sessionsPerTarget : String(sessionsPerTarget),
    maxTurns: maxTurns === null ? newJourney.maxTurns : String(maxTurns),
    criteria: rubric?.criteria ?? [],
    judged: judge.enabled,
    judgeModel: judge.model ?? '',
    judgeThreshold: percentOf(judge.threshold),
    passThreshold: percentOf(journey.passThreshold),
  };
}

function percentOf(share: number): string {
  return String(Math.round(share * 10_000) / 100);
}

export type Problems = Partial<Record<keyof JourneyDraft, string>>;

export function problemsIn(draft: JourneyDraft): Problems {
  return {
    ...wholeWithin(draft, 'sessionsPerTarget', 100),
    ...wholeWithin(draft, 'maxTurns', 200),
    ...(draft.judged && percentIn(draft, 'judgeThreshold')),
    ...percentIn(draft, 'passThreshold'),
  };
}

function wholeWithin(draft: JourneyDraft, name: 'sessionsPerTarget' | 'maxTurns', most: number): Problems {
  const value = Number(draft[name]);
  return Number.isInteger(value) && value >= 1 && value <= most
    ? {}
    : { [name]: `A whole number from 1 to ${most}` };
}

function percentIn(draft: JourneyDraft, name: 'judgeThreshold' | 'passThreshold'): Problems {
  const value = Number(draft[name]);
  return draft[name].trim() !== '' && value >= 0 && value <= 100
    ? {}
    : { [name]: 'Between 0 and 100 percent' };
}

function gradingOf({ judged, judgeModel, judgeThreshold, passThreshold }: JourneyDraft) {
  return {
    judge: {
      enabled: judged,
      threshold: Number(judgeThreshold) / 100,
      ...(judgeModel !== '' && { model: judgeModel }),
    },
    passThreshold: Number(passThreshold) / 100,
  };
}

export function createBody(draft: JourneyDraft): Created {
  const { name, goal, personaId, swarmId, place, environmentIds, hostIds, serverAttachmentId } = draft;
  return {
    ...(name.trim() !== '' && { name: name.trim() }),
    goal: goal.trim(),
    personaId,
    ...(swarmId !== '' && { swarmId }),
    ...(place === 'environments' && environmentIds.length > 0 && { environmentIds }),
    ...(place === 'clients' && hostIds.length > 0 && { hostIds }),
    ...(place === 'clients' && serverAttachmentId !== '' && { serverAttachmentId }),
    sessionsPerTarget: Number(draft.sessionsPerTarget),
    maxTurns: Number(draft.maxTurns),
    ...(draft.criteria.length > 0 && { rubric: rubricOf(draft.criteria) }),
    ...gradingOf(draft),
  };
}

/** Changed fields only; the number of sessions and their length are sent together. */
export function updateBody(before: JourneyDraft, after: JourneyDraft): Changed {
  const inEnvironments = after.place === 'environments' && after.environmentIds.length > 0;
  const whole: Changed = {
    name: after.name.trim(),
    goal: after.goal.trim(),
    environmentIds: inEnvironments ? after.environmentIds : null,
    hostIds: inEnvironments ? before.hostIds : after.hostIds,
    serverAttachmentId: after.serverAttachmentId === '' ? null : after.serverAttachmentId,
    rubric: after.criteria.length > 0 ? rubricOf(after.criteria) : null,
    ...gradingOf(after),
  };
  const was: Changed = {
    name: before.name,
    goal: before.goal,
    environmentIds: before.environmentIds.length > 0 ? before.environmentIds : null,
    hostIds: before.hostIds,
    serverAttachmentId: before.serverAttachmentId === '' ? null : before.serverAttachmentId,
    rubric: before.criteria.length > 0 ? rubricOf(before.criteria) : null,
    ...gradingOf(before),
  };
  const changed = Object.entries(whole).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name as keyof Changed]),
  );
  const resized = before.sessionsPerTarget !== after.sessionsPerTarget || before.maxTurns !== after.maxTurns;
  return {
    ...Object.fromEntries(changed),
    ...(resized && {
      sessionsPerTarget: Number(after.sessionsPerTarget),
      maxTurns: Number(after.maxTurns),
    }),
  };
}

/** Accepts checks of any kind; the service validates them. */
export function rubricOf(criteria: readonly Schema[]): NonNullable<Created['rubric']> {
  return { criteria } as unknown as NonNullable<Created['rubric']>;
}
