import type { z } from 'zod';
import type { SendChatMessage } from '../../contract/chat-sessions.ts';
import { Refusal } from '../../contract/errors.ts';
import { type ModelRoute, resolveModel } from '../../models/resolve.ts';
import { invalidBecause } from '../base/refusals.ts';
import type { Services } from '../context/context.ts';

export type Sent = z.output<typeof SendChatMessage>;

/** Settings fixed by the first turn of a session. */
export interface SessionConfig {
  modelId: string;
  provider: string;
  environmentId?: string;
  serverIds?: string[];
  /** The servers are those of the client named with each turn. */
  hostOnly?: true;
  systemPrompt?: string;
  temperature?: number;
  toolMode: 'read_only' | 'auto';
}

const pinned = ['modelId', 'environmentId', 'serverIds', 'systemPrompt', 'temperature', 'toolMode'] as const;

export function firstConfig(services: Pick<Services, 'models'>, sent: Sent): SessionConfig {
  const { modelId, environmentId, serverIds, hostId, systemPrompt, temperature, toolMode } = sent;
  if (modelId === undefined) throw new Refusal('VALIDATION_ERROR', 'modelId: Required to start a session');
  if (!modelId.includes('/'))
    throw invalidBecause('modelId: Must have the form provider/name', 'MODEL_AMBIGUOUS');
  if (environmentId !== undefined && serverIds)
    throw new Refusal('VALIDATION_ERROR', 'serverIds: Cannot be combined with environmentId. Send only one');
  const { provider } = routeTo(services, modelId);
  const hostOnly = hostId !== undefined && environmentId === undefined && !serverIds;
  return {
    modelId,
    provider,
    ...(environmentId !== undefined && { environmentId }),
    ...(serverIds && { serverIds: [...new Set(serverIds)] }),
    ...(hostOnly && { hostOnly }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    toolMode: toolMode ?? 'read_only',
  };
}

/** Refuses pinned settings on later turns. */
export function refuseConfig(sent: Sent): void {
  const fields = pinned.filter((field) => sent[field] !== undefined);
  if (fields.length === 0) return;
  throw invalidBecause(
    `${fields.join(', ')}: Decided by the first turn of the session. Leave out, or start another session`,
    'CONFIG_ON_CONTINUATION',
    { fields },
  );
}

export function routeTo({ models }: Pick<Services, 'models'>, modelId: string): ModelRoute {
  const { route, problem } = resolveModel(models, { model: modelId });
  if (route) return route;
  const { message, hostedModels } = problem;
  throw new Refusal('VALIDATION_ERROR', `modelId: ${message}`, { details: { hostedModels } });
}
