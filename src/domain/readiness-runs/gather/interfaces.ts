import { McpFailure } from '../../../mcp/failures.ts';
import type { Conversation } from '../../../mcp/mcp.ts';
import { type Known, known, type UiFacts, unknown } from '../../../readiness/evidence.ts';
import type { ToolFacts } from '../../../readiness/index.ts';

const maxRead = 20;
const maxOrigins = 50;
const maxTextLength = 300;
/** Characters of a page that are searched. */
const maxSearched = 2_000_000;

/** The UI resources named by tools. */
export async function interfaces(
  conversation: Conversation,
  tools: readonly ToolFacts[],
  listed: readonly unknown[],
): Promise<Known<UiFacts[]>> {
  const named = new Map<string, string[]>();
  for (const { uiUri, name } of tools)
    if (uiUri !== undefined) named.set(uiUri, [...(named.get(uiUri) ?? []).slice(0, 9), name]);
  if (named.size > maxRead)
    return unknown(`The tools name ${named.size} interfaces; at most ${maxRead} are inspected`);
  const found: UiFacts[] = [];
  for (const [uri, users] of named) {
    const entry = listed.find((one) => record(one)['uri'] === uri);
    found.push({ tools: users, ...(await read(conversation, uri, entry)), uri: uri.slice(0, maxTextLength) });
  }
  return known(found);
}

async function read(
  conversation: Conversation,
  uri: string,
  listed: unknown,
): Promise<Omit<UiFacts, 'uri' | 'tools'>> {
  try {
    const { contents } = (await conversation.ask('resources/read', { uri })).result;
    const all = (Array.isArray(contents) ? contents : []).map(record);
    const content = all.find((one) => one['uri'] === uri) ?? all[0];
    const html = content && textOf(content);
    if (!content || html === undefined || html.trim() === '')
      return { problem: 'The server answered without its contents', mimeType: '', origins: [] };
    return { mimeType: text(content['mimeType']), origins: originsIn(html), ...declaredBy(content, listed) };
  } catch (error) {
    // One broken resource does not prevent the inspection of the others.
    if (!(error instanceof McpFailure) || (error.kind !== 'rpc' && error.kind !== 'too-large')) throw error;
    return { problem: error.message.slice(0, maxTextLength), mimeType: '', origins: [] };
  }
}

/** Metadata of the resource itself takes precedence over the list of resources. */
function declaredBy(content: Record<string, unknown>, listed: unknown): Pick<UiFacts, 'csp' | 'domain'> {
  const metas = [record(content['_meta']), record(record(listed)['_meta'])];
  const ui = { ...record(metas[1]?.['ui']), ...record(metas[0]?.['ui']) };
  const csp = ui['csp'] ?? metas.map((meta) => meta['openai/widgetCSP']).find((one) => one !== undefined);
  const domain =
    ui['domain'] ?? metas.map((meta) => meta['openai/widgetDomain']).find((one) => one !== undefined);
  const list = (name: string, older: string): string[] => texts(record(csp)[name] ?? record(csp)[older]);
  return {
    ...(csp !== undefined && {
      csp: {
        connect: list('connectDomains', 'connect_domains'),
        resource: list('resourceDomains', 'resource_domains'),
        frame: list('frameDomains', 'frame_domains'),
      },
    }),
    ...(typeof domain === 'string' && { domain: text(domain) }),
  };
}

/** Matches what a page loads, with its origin; links are not loaded. */
const fetched =
  /(?:\bsrc\s*=\s*["']?|<link\b[^>]{0,300}?\bhref\s*=\s*["']?|\burl\(\s*["']?|\b(?:fetch|import|WebSocket|EventSource)\(\s*["'`]|\bfrom\s*["'])((?:https?|wss?):\/\/[a-z\d.:-]{1,253})/gi;

function originsIn(html: string): string[] {
  const found = new Set<string>();
  for (const [, url = ''] of html.slice(0, maxSearched).matchAll(fetched)) {
    if (found.size === maxOrigins) break;
    if (URL.canParse(url)) found.add(`${new URL(url).protocol}//${new URL(url).host}`);
  }
  return [...found];
}

function textOf({ text: written, blob }: Record<string, unknown>): string | undefined {
  if (typeof written === 'string') return written;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value.slice(0, maxOrigins) : []).map(text).filter((one) => one !== '');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxTextLength).toWellFormed() : '';
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
