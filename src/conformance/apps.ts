import { isCspSource } from '../widgets/csp.ts';
import { asRecord, check, group, quoted, skipped } from './checks.ts';
import type { Case, Group } from './report.ts';

/** The result of reading an interface's resource: the server's answer, or a problem. */
export type Read = { result: unknown } | { problem: string };

const section = 'extensions/apps';
const mimeType = 'text/html;profile=mcp-app';
const flatKey = 'ui/resourceUri';
const audiences = ['model', 'app'];
const kindsOfDomains = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
const maxDomains = 1_000;

/** Tools that declare an interface in any form. */
export function toolsWithInterface(tools: readonly unknown[]): Record<string, unknown>[] {
  return tools.map(asRecord).filter((tool) => {
    const meta = asRecord(tool['_meta']);
    return meta['ui'] !== undefined || meta[flatKey] !== undefined;
  });
}

/** The URI of a tool's interface, valid or not. */
export function interfaceOf(tool: Record<string, unknown>): string | undefined {
  const meta = asRecord(tool['_meta']);
  const uri = asRecord(meta['ui'])['resourceUri'] ?? meta[flatKey];
  return typeof uri === 'string' ? uri : undefined;
}

/** `read` has an entry for each URI that was requested. `left`: number of further tools with an interface. */
export function gradeApps(
  tools: readonly Record<string, unknown>[],
  read: ReadonlyMap<string, Read>,
  left: number,
): Group[] {
  if (tools.length === 0) {
    const none = skipped('apps', 'Interfaces', section, 'No tool of the server declares an interface');
    return [group('apps', 'MCP Apps', [none])];
  }
  const groups = tools.map((tool, at) => {
    const name = typeof tool['name'] === 'string' ? tool['name'] : `tool ${at + 1}`;
    return group(`tool:${at}:${name}`, `The tool ${quoted(name)}`, casesOfTool(tool, read));
  });
  if (left === 0) return groups;
  const more = skipped('rest', 'Other tools', section, `${left} more tools name an interface`, true);
  return [...groups, group('rest', 'Other tools', [more])];
}

function casesOfTool(tool: Record<string, unknown>, read: ReadonlyMap<string, Read>): Case[] {
  const meta = asRecord(tool['_meta']);
  const ui = asRecord(meta['ui']);
  const uri = interfaceOf(tool);
  const cases = [
    check('apps-ui-shape', '_meta.ui is an object', section, shapeProblem(meta['ui'])),
    check(
      'apps-visibility',
      'visibility names model and app only',
      section,
      visibilityProblem(ui['visibility']),
    ),
  ];
  if (meta[flatKey] !== undefined)
    cases.push(
      check(
        'apps-flat-key',
        `${flatKey} agrees with _meta.ui.resourceUri`,
        section,
        flatProblem(meta[flatKey], ui),
      ),
    );
  // A tool may be for interfaces only and have none itself.
  if (uri === undefined && ui['resourceUri'] === undefined && meta[flatKey] === undefined) return cases;
  cases.push(check('apps-uri', 'The interface has a ui:// address', section, uriProblem(uri)));
  return uri === undefined ? cases : [...cases, ...casesOfResource(uri, read.get(uri))];
}

function casesOfResource(uri: string, read: Read | undefined): Case[] {
  const readable = (problem?: string): Case =>
    check('apps-readable', 'The interface can be read', section, problem);
  const mime = 'The interface is text/html;profile=mcp-app';
  const csp = 'The content security policy lists origins';
  if (!read || 'problem' in read) {
    const reason = 'The interface cannot be read';
    return [
      readable(read?.problem ?? 'The resource was not read'),
      skipped('apps-mime-type', mime, section, reason),
      skipped('apps-csp', csp, section, reason),
    ];
  }
  const contents = asRecord(read.result)['contents'];
  const all = (Array.isArray(contents) ? contents : []).map(asRecord);
  const content = all.find((one) => one['uri'] === uri) ?? all[0];
  const empty =
    content === undefined || (typeof content['text'] !== 'string' && typeof content['blob'] !== 'string');
  const declaredType = content?.['mimeType'];
  return [
    readable(empty ? `resources/read answered without the contents of ${quoted(uri)}` : undefined),
    check(
      'apps-mime-type',
      mime,
      section,
      typeof declaredType === 'string' && declaredType.replaceAll(' ', '').toLowerCase() === mimeType
        ? undefined
        : `The mime type is ${quoted(declaredType)}`,
    ),
    check('apps-csp', csp, section, cspProblem(asRecord(asRecord(content?.['_meta'])['ui'])['csp'])),
  ];
}

function shapeProblem(ui: unknown): string | undefined {
  if (ui === undefined || (typeof ui === 'object' && ui !== null && !Array.isArray(ui))) return undefined;
  return `The value is ${quoted(ui)}`;
}

function visibilityProblem(visibility: unknown): string | undefined {
  if (visibility === undefined) return undefined;
  if (!Array.isArray(visibility)) return `The value is ${quoted(visibility)}, not a list`;
  const unknown = visibility.find((one) => typeof one !== 'string' || !audiences.includes(one)) as unknown;
  return unknown === undefined ? undefined : `${quoted(unknown)} is neither model nor app`;
}

function flatProblem(flat: unknown, ui: Record<string, unknown>): string | undefined {
  if (typeof flat !== 'string') return `The value is ${quoted(flat)}, not a string`;
  const nested = ui['resourceUri'];
  return nested === undefined || nested === flat
    ? undefined
    : `The value is ${quoted(flat)}; \`_meta.ui.resourceUri\` is ${quoted(nested)}`;
}

function uriProblem(uri: string | undefined): string | undefined {
  if (uri === undefined) return 'resourceUri is not a string';
  return uri.startsWith('ui://') ? undefined : `The URI is ${quoted(uri)}`;
}

function cspProblem(csp: unknown): string | undefined {
  if (csp === undefined) return undefined;
  if (typeof csp !== 'object' || csp === null || Array.isArray(csp))
    return `The value is ${quoted(csp)}, not an object`;
  for (const kind of kindsOfDomains) {
    const domains = (csp as Record<string, unknown>)[kind];
    if (domains === undefined) continue;
    if (!Array.isArray(domains)) return `${kind} is ${quoted(domains)}, not a list`;
    if (domains.length > maxDomains) return `${kind} has more than ${maxDomains} entries`;
    const wrong = domains.find((one) => !isCspSource(one)) as unknown;
    if (wrong !== undefined) return `${quoted(wrong)} in ${kind} is no origin`;
  }
  return undefined;
}
