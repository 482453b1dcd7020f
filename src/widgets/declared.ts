import { z } from 'zod';
import { type WidgetCsp, widgetCsp } from './csp.ts';

/** Maximum bytes of a widget's HTML. */
const maxHtml = 16 * 1024 * 1024;

const Text = z.string().min(1).max(8_192);
const Visibility = z.array(z.string()).max(20);
const Permissions = z.record(z.string(), z.unknown());

/** Permissions that a widget may request, with their names in the `allow` attribute of a frame. */
const features: Record<string, string> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
};

/** The interface of a tool, as its server sent it. */
export interface WidgetSource {
  uri: string;
  html: string;
  csp: WidgetCsp;
  /** Names for the `allow` attribute of a frame. */
  permissions: string[];
  /** Written for the OpenAI Apps SDK: it expects `window.openai`. */
  openAi: boolean;
}

/** The URI of a tool's interface, if it has one. */
export function widgetUriOf(tool: unknown): string | undefined {
  const meta = metaOf(tool);
  const named = [asRecord(meta['ui'])['resourceUri'], meta['ui/resourceUri'], meta['openai/outputTemplate']];
  return named.map((uri) => Text.safeParse(uri).data).find((uri) => uri?.startsWith('ui://'));
}

/** Why a widget may not call a tool of its server; undefined if it may. */
export function refusalOfCall(tools: readonly unknown[], name: string): string | undefined {
  const tool = tools.find((one) => asRecord(one)['name'] === name);
  if (!tool) return `The server has no tool ${JSON.stringify(name.slice(0, 200))}`;
  const meta = metaOf(tool);
  const visibility = Visibility.safeParse(asRecord(meta['ui'])['visibility']).data;
  const seen = visibility?.includes('app') ?? meta['openai/widgetAccessible'] !== false;
  return seen ? undefined : `The tool ${name.slice(0, 200)} is not visible to widgets`;
}

/**
 * Parses the widget from the server's answer to `resources/read`, or returns the problem. Metadata of the content takes
 * precedence over that of the resource list.
 */
export function widgetSource(
  uri: string,
  read: unknown,
  listed?: unknown,
): WidgetSource | { problem: string } {
  const contents = asRecord(read)['contents'];
  const all = (Array.isArray(contents) ? contents : []).map(asRecord);
  const content = all.find((one) => one['uri'] === uri) ?? all[0];
  const html = content && textOf(content);
  if (html === undefined) return { problem: `The server answered without the contents of ${uri}` };
  if (html.trim() === '') return { problem: `${uri} is empty` };
  if (Buffer.byteLength(html) > maxHtml)
    return { problem: `${uri} is larger than ${maxHtml >> 20} MiB, the maximum` };
  const mimeType = (z.string().safeParse(content?.['mimeType']).data ?? '').toLowerCase();
  if (mimeType !== '' && !mimeType.startsWith('text/html'))
    return { problem: `${uri} is ${mimeType.slice(0, 100)}, not text/html;profile=mcp-app` };
  const metas = [metaOf(content), metaOf(listed)];
  const ui = { ...asRecord(metas[1]?.['ui']), ...asRecord(metas[0]?.['ui']) };
  const permissions = Object.keys(Permissions.safeParse(ui['permissions']).data ?? {});
  return {
    uri,
    html,
    csp: widgetCsp(ui['csp'] ?? metas[0]?.['openai/widgetCSP'] ?? metas[1]?.['openai/widgetCSP']),
    permissions: permissions.flatMap((name) =>
      Object.hasOwn(features, name) ? [features[name] as string] : [],
    ),
    openAi: mimeType.includes('skybridge'),
  };
}

/** Whether the content has no metadata, so that the resource list is needed. */
export function needsListing(uri: string, read: unknown): boolean {
  const contents = asRecord(read)['contents'];
  const content = (Array.isArray(contents) ? contents : []).find((one) => asRecord(one)['uri'] === uri);
  const meta = metaOf(content);
  return !('ui' in meta) && !('openai/widgetCSP' in meta);
}

function textOf({ text, blob }: Record<string, unknown>): string | undefined {
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

function metaOf(thing: unknown): Record<string, unknown> {
  return asRecord(asRecord(thing)['_meta']);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
