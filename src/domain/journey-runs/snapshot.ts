import type { GoalJudge, SessionRubric } from '../../contract/rubrics.ts';
import type { PlaceSnapshot } from '../eval-runs/launch/take-snapshot.ts';

/** Where sessions take place: an environment, else a client with servers. */
export interface JourneyTarget {
  /** Of the environment, else of the client. */
  targetId: string;
  kind: 'environment' | 'host';
  hostId: string;
  hostName: string;
  environmentName?: string;
  model: { model: string; provider: string };
  place: PlaceSnapshot;
}

/** All that a journey run uses, as it was when it was launched. Never changed. */
export interface JourneySnapshot {
  version: 1;
  journey: { id: string; name: string; goal: string };
  persona: { id: string; name: string; role: string; notes: string | null };
  /** Who plays the persona; null where templates do. */
  personaModel: { model: string; provider: string } | null;
  sessionsPerTarget: number;
  maxTurns: number;
  rubric: SessionRubric | null;
  /** Null: no judge is asked. */
  judge: (GoalJudge & { resolved: string }) | null;
  passThreshold: number;
  targets: JourneyTarget[];
}

/** What a list of runs shows of a target. */
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

/** Which target is which for whoever reads about it. */
export function labelOf({
  environmentName,
  hostName,
}: Pick<ShownTarget, 'environmentName' | 'hostName'>): string {
  return environmentName ?? hostName;
}
