import { randomUUID } from 'node:crypto';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client, Input, Output } from '../../client/index.ts';
import { everything } from '../../common/everything.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { theOne } from '../find.ts';

export type Body = Input<'streamChatMessage'>['body'];
type Model = Output<'listModels'>['items'][number];

export interface ChatOptions {
  server?: string[];
  environment?: string;
  client?: string;
  model?: string;
  session?: string;
  auto?: true;
  system?: string;
  temperature?: string;
  maxToolCalls?: string;
}

/** Body fields of the next message, and of every message. */
export interface Settings {
  first: Partial<Body>;
  each: Partial<Body>;
  /** Description of the chat for its banner. */
  about: string;
}

/** The request body of a message, with a new idempotency key. */
export function bodyOf({ first, each }: Settings, message: string): Body {
  return { idempotencyKey: randomUUID(), message, ...first, ...each };
}

export async function settingsOf(api: Client, projectId: string, options: ChatOptions): Promise<Settings> {
  const client =
    options.client === undefined
      ? undefined
      : theOne('client', options.client, await everything(api.listClients, { projectId }));
  const each = {
    ...(client && { hostId: client.id }),
    ...(options.maxToolCalls !== undefined && { maxToolCalls: Number(options.maxToolCalls) }),
  };
  if (options.session !== undefined) {
    refuseDecided(options);
    const { modelId, sessionId, title } = await api.getChatSession({ sessionId: options.session, limit: 1 });
    const about = `${oneLine(title ?? 'a chat', 80)}, with ${modelId ?? 'its model'}`;
    return { first: { sessionId }, each, about };
  }
  const model = modelFor(options.model, await everything(api.listModels, {}));
  const target = await targetOf(api, projectId, options);
  const toolMode = options.auto ? 'auto' : 'read_only';
  return {
    first: {
      projectId,
      modelId: model,
      toolMode,
      ...target.fields,
      ...(options.system !== undefined && { systemPrompt: options.system }),
      ...(options.temperature !== undefined && { temperature: Number(options.temperature) }),
    },
    each,
    about: `${oneLine(model, 100)} and ${target.words}, ${options.auto ? 'all tools' : 'read-only tools'}`,
  };
}

/** Rejects options that the first message of a chat has fixed. */
function refuseDecided(options: ChatOptions): void {
  const decided = ['server', 'environment', 'model', 'auto', 'system', 'temperature'] as const;
  const given = decided.filter((name) => options[name] !== undefined);
  if (given.length > 0)
    throw new OperatorProblem(
      `--${given.join(', --')}: fixed by the first message of the chat. Remove it, or start a new chat without --session`,
    );
}

/**
 * The requested model. Default: the only hosted model, or the offline model if none is hosted. Several hosted models: an
 * error that lists them.
 */
function modelFor(wanted: string | undefined, models: readonly Model[]): string {
  if (wanted !== undefined) return wanted;
  const hosted = models.filter(({ hosted, offline }) => hosted && !offline);
  const [only] = hosted.length > 0 ? hosted : models.filter(({ offline }) => offline);
  if (only && hosted.length < 2) return only.id;
  const names = hosted.slice(0, 20).map(({ id }) => oneLine(id, 100));
  throw new OperatorProblem(`Choose a model with --model. Available: ${names.join(', ')}`);
}

async function targetOf(
  api: Client,
  projectId: string,
  { server, environment, client }: ChatOptions,
): Promise<{ fields: Partial<Body>; words: string }> {
  if (environment !== undefined) {
    if (server)
      throw new OperatorProblem(
        '--server and --environment are mutually exclusive: an environment has its own servers',
      );
    const found = theOne('environment', environment, await everything(api.listEnvironments, { projectId }));
    return {
      fields: { environmentId: found.id },
      words: `the environment ${oneLine(found.name ?? found.id, 100)}`,
    };
  }
  const servers = await everything(api.listProjectServers, { projectId });
  if (server) {
    const found = server.map((wanted) => theOne('server', wanted, servers));
    const names = found.map(({ name }) => oneLine(name, 100)).join(', ');
    return { fields: { serverIds: found.map(({ id }) => id) }, words: names };
  }
  if (client !== undefined) return { fields: {}, words: 'the servers of the client' };
  const enabled = servers.filter(({ enabled }) => enabled);
  const [only] = enabled;
  if (!only) return { fields: {}, words: 'no server' };
  if (enabled.length === 1) return { fields: { serverIds: [only.id] }, words: oneLine(only.name, 100) };
  const names = enabled.slice(0, 20).map(({ name }) => oneLine(name, 60));
  throw new OperatorProblem(`Choose a server with --server. Available: ${names.join(', ')}`);
}
