import type { GoalJudge, SessionRubric } from '../../contract/rubrics.ts';
import { type PlaceSnapshot } from '../execution/place.ts';

/** Where sessions run: an environment, or a client with servers. */
export interface JourneyTarget {
  /** ID of the environment, otherwise of the client. */
  targetId: string;
  kind: 'environment' | 'host';
  hostId: string;
  hostName: string;
  environmentName?: string;
  model: { model: string; provider: string };
  place: PlaceSnapshot;
}

/** Everything a journey run uses, as of its launch. Immutable. */
export interface JourneySnapshot {
  version: 1;
  journey: { id: string; name: string; goal: string };
  persona: { id: string; name: string; role: string; notes: string | null };
  /** The model that plays the persona; null for templates. */
  personaModel: { model: string; provider: string } | null;
  sessionsPerTarget: number;
  maxTurns: number;
  rubric: SessionRubric | null;
  /** Null without a judge. */
  judge: (GoalJudge & { resolved: string }) | null;
  passThreshold: number;
  targets: JourneyTarget[];
}

/** A target as shown in lists of runs. */
export interface ShownTarget {
  hostId: string;
  hostName: string;
  targetId: string;
  kind: JourneyTarget['kind'];
  environmentName?: string;
  modelId: string;
}

export function shownTarget(target: JourneyTarget): ShownTarget {
  const { hostId, hostName, targetId, kind, environmentName, model } = target;
  return {
    hostId,
    hostName,
    targetId,
    kind,
    ...(environmentName !== undefined && { environmentName }),
    modelId: model.model,
  };
}

export function labelOf({
  environmentName,
  hostName,
}: Pick<ShownTarget, 'environmentName' | 'hostName'>): string {
  return environmentName ?? hostName;
}
