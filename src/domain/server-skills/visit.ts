import type { ServerSkillRefusal } from '../../contract/server-skills.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';
import type { ServerContext } from '../context/context.ts';
import { withServer } from '../live/reach.ts';
import { type LiveOptions } from '../live/target.ts';
import { fileKey } from './address.ts';
import { readEntry, type SkillEntry, type SkillFile } from './entry.ts';
import { SkillRefused } from './refused.ts';
import { declaringSkills, type SkillsSupport, supportOf } from './support.ts';

/**
 * Opens a new connection, so that the server reports its current state. Declares the extension, unless the caller
 * sets the capabilities, which shows what a client without the extension would get.
 */
export function withSkills<T>(
  context: ServerContext,
  body: LiveOptions,
  work: (conversation: Conversation, support: SkillsSupport) => Promise<T>,
): Promise<T> {
  const clientCapabilities =
    body.clientCapabilities ?? declaringSkills(context.server.settings.clientCapabilities);
  const options = { ...body, clientCapabilities };
  const visit = (conversation: Conversation): Promise<T> =>
    work(conversation, supportOf(clientCapabilities, conversation.identity));
  return withServer(context, options, visit, 'once');
}

/** Runs `work` if the extension is active, and turns failed checks into a refusal in the response. */
export function orRefusal<T extends object>(
  context: ServerContext,
  body: LiveOptions,
  work: (conversation: Conversation) => Promise<T>,
): Promise<{ support: SkillsSupport } & (T | { refusal: ServerSkillRefusal })> {
  return withSkills(context, body, async (conversation, support) => {
    try {
      if (!support.active) throw new SkillRefused('extension_inactive', inactive(support));
      return { support, ...(await work(conversation)) };
    } catch (error) {
      if (error instanceof SkillRefused) return { support, refusal: error.refusal };
      throw error;
    }
  });
}

function inactive({ advertised }: SkillsSupport): string {
  return advertised
    ? 'clientCapabilities does not declare the skills extension. Omit it, or declare the extension there'
    : 'The server does not declare the skills extension';
}

/** Fetches the entry of one skill; refuses if its files must not be read. */
export async function fetchEntry(conversation: Conversation, skillUri: string): Promise<SkillEntry> {
  const { skill } = await ask(conversation, 'skills/get', skillUri, { skillUri });
  const entry = readEntry(skill);
  if (fileKey(entry.skillUri) !== fileKey(skillUri))
    throw new SkillRefused('identity_mismatch', 'The server answered with another skill', {
      skillUri,
      expected: skillUri,
      actual: entry.skillUri,
    });
  if (entry.unloadable) {
    const { reason, message } = entry.unloadable;
    throw new SkillRefused(reason, message, { skillUri });
  }
  return entry;
}

/** The listed file at a URI, in any spelling. */
export function listedFile({ skillUri, files }: SkillEntry, resourceUri: string): SkillFile {
  const file = files.get(fileKey(resourceUri) ?? '');
  if (file) return file;
  const message = `"${resourceUri}" was not read: the server does not list it for this skill`;
  throw new SkillRefused('unlisted_resource', message, { skillUri, resourceUri });
}

/** The bytes the server sends for a file, unverified. */
export async function fetchBytes(
  conversation: Conversation,
  { skillUri }: SkillEntry,
  { uri }: SkillFile,
): Promise<Buffer> {
  const about = { skillUri, resourceUri: uri };
  const { contents } = await ask(conversation, 'resources/read', uri, about);
  const content = (Array.isArray(contents) ? contents : []).find((one) => isOf(one, uri)) as
    | { text?: unknown; blob?: unknown }
    | undefined;
  if (typeof content?.text === 'string') return Buffer.from(content.text, 'utf8');
  if (typeof content?.blob === 'string') return Buffer.from(content.blob, 'base64');
  throw new SkillRefused('fetch_failed', 'The server answered without the contents of the file', about);
}

function isOf(content: unknown, uri: string): boolean {
  const named = (content as { uri?: unknown } | null)?.uri;
  return typeof named === 'string' && fileKey(named) === fileKey(uri);
}

/** An error response or an oversized answer of the server becomes a refusal; a connection failure is thrown. */
async function ask(
  conversation: Conversation,
  method: string,
  uri: string,
  about: { skillUri: string; resourceUri?: string },
): Promise<Record<string, unknown>> {
  try {
    return (await conversation.ask(method, { uri })).result;
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const { kind, message, facts } = error;
    if (kind === 'too-large') throw new SkillRefused('too_large', message, about);
    if (kind !== 'rpc') throw error;
    const unknown = facts.rpc?.code === -32002 || facts.rpc?.code === -32602;
    throw new SkillRefused(
      unknown ? 'not_found' : 'fetch_failed',
      unknown ? `Not found on the server: ${message}` : `The server returned an error: ${message}`,
      about,
    );
  }
}
