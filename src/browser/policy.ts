import { browserVerbs } from '../contract/browser-commands.ts';
import { type OriginRule, originRules, problemOfOrigins } from '../contract/browser-origins.ts';
import type { BrowserCommand } from './command.ts';
import { BrowserFailure } from './failure.ts';

/**
 * The allowed commands and origins of a session. `read_only` permits observation and navigation; `allowlist` without
 * any list permits nothing. In every mode, a list restricts commands or origins to its entries; an absent one does not.
 */
export interface BrowserPolicy {
  mode: 'allow_all' | 'read_only' | 'allowlist';
  /** `https://example.com`, `https://*.example.com`, or `example.com` for http and https. */
  originAllowlist?: readonly string[] | undefined;
  /** Commands by op or verb (`navigate`, `act`, `click`); `invoke_page_tool:NAME` is a single page tool. */
  toolAllowlist?: readonly string[] | undefined;
}

const harmless = new Set(['back', 'forward', 'reload', 'navigate', 'observe', 'scroll', 'hover']);

const verbs: ReadonlySet<string> = new Set(browserVerbs);

/** Evaluates a policy. */
export class Permissions {
  private readOnly = true;
  private origins: OriginRule[] | undefined;
  private tools: string[] | undefined;

  constructor(policy: BrowserPolicy) {
    this.become(policy);
  }

  become({ mode, originAllowlist, toolAllowlist }: BrowserPolicy): void {
    const nothing = mode === 'allowlist' && originAllowlist === undefined && toolAllowlist === undefined;
    this.readOnly = mode === 'read_only';
    this.origins = nothing ? [] : originAllowlist && rulesOf(originAllowlist);
    this.tools = nothing ? [] : toolAllowlist?.map((tool) => tool);
  }

  /** Why a command is refused; undefined if it is allowed. */
  refusalOfCommand(command: BrowserCommand): string | undefined {
    const names = namesOf(command);
    if (this.readOnly && !names.some((name) => harmless.has(name)))
      return `the session's policy is read_only, which does not allow ${names.at(-1)}`;
    if (this.tools && !names.some((name) => this.tools?.includes(name)))
      return `${names.at(-1)} is not in the toolAllowlist of the session`;
    const after = 'observeAfter' in command ? (command.observeAfter ?? 'none') : 'none';
    if (after === 'none' || command.op === 'observe') return undefined;
    return this.refusalOfCommand({ op: 'observe', mode: after });
  }

  /**
   * Why requests to an origin are refused; undefined if they are allowed. A tunnel has no known scheme: any scheme with
   * that port counts.
   */
  refusalOfOrigin(host: string, port: number, scheme?: 'http' | 'https'): string | undefined {
    const name = host.toLowerCase().replace(/\.$/, '');
    const reached = this.origins?.some(
      (rule) =>
        rule.port === port &&
        (scheme === undefined || rule.scheme === scheme) &&
        (rule.below ? name.endsWith(`.${rule.host}`) : name === rule.host),
    );
    return reached === false ? `${name}:${port} is not in the originAllowlist of the session` : undefined;
  }
}

export function narrow(policy: BrowserPolicy, other: BrowserPolicy): BrowserPolicy {
  const [one, two] = [withLists(policy), withLists(other)];
  const originAllowlist = both(one.origins, two.origins, coversOrigin);
  const toolAllowlist = both(one.tools, two.tools, coversTool);
  const readOnly = policy.mode === 'read_only' || other.mode === 'read_only';
  const listed = originAllowlist !== undefined || toolAllowlist !== undefined;
  return {
    mode: readOnly ? 'read_only' : listed ? 'allowlist' : 'allow_all',
    ...(originAllowlist && { originAllowlist: originAllowlist.map(writeRule) }),
    ...(toolAllowlist && { toolAllowlist }),
  };
}

export function samePolicy(one: BrowserPolicy, two: BrowserPolicy): boolean {
  return textOf(one) === textOf(two);
}

function textOf({ mode, originAllowlist, toolAllowlist }: BrowserPolicy): string {
  return JSON.stringify([mode, originAllowlist?.toSorted() ?? null, toolAllowlist?.toSorted() ?? null]);
}

/** The allowed commands and origins; null means unlimited. */
export function listsOf(policy: BrowserPolicy): { tools: string[] | null; origins: string[] | null } {
  const { origins, tools } = withLists(policy);
  const reading = policy.mode === 'read_only' ? [...harmless] : undefined;
  return {
    tools: both(reading, tools, coversTool) ?? null,
    origins: origins?.map(writeRule) ?? null,
  };
}

function withLists({ mode, originAllowlist, toolAllowlist }: BrowserPolicy) {
  if (mode === 'allowlist' && !originAllowlist && !toolAllowlist) return { origins: [], tools: [] };
  return { origins: originAllowlist && rulesOf(originAllowlist), tools: toolAllowlist };
}

/**
 * The intersection of two lists. Two entries are either nested or disjoint, so the smaller one of each overlapping pair
 * remains.
 */
function both<T>(
  one: readonly T[] | undefined,
  two: readonly T[] | undefined,
  covers: (wide: T, small: T) => boolean,
): T[] | undefined {
  if (!one || !two) return (one ?? two)?.slice();
  return [
    ...one.filter((entry) => two.some((wide) => covers(wide, entry))),
    ...two.filter((entry) => one.some((wide) => covers(wide, entry) && !covers(entry, wide))),
  ];
}

function coversTool(wide: string, small: string): boolean {
  if (wide === small || small.startsWith(`${wide}:`)) return true;
  return wide === 'act' ? verbs.has(small) : wide === 'invoke_page_tool' && small === 'cancel_page_tool';
}

function coversOrigin(wide: OriginRule, small: OriginRule): boolean {
  if (wide.scheme !== small.scheme || wide.port !== small.port) return false;
  if (!wide.below) return !small.below && wide.host === small.host;
  return small.host.endsWith(`.${wide.host}`) || (small.below && small.host === wide.host);
}

/** The names of a command in lists, from general to specific. Permission to invoke includes permission to cancel. */
function namesOf(command: BrowserCommand): string[] {
  if (command.op === 'act') return ['act', command.verb];
  if (command.op === 'cancel_page_tool') return ['invoke_page_tool', 'cancel_page_tool'];
  if (command.op === 'invoke_page_tool')
    return ['invoke_page_tool', `invoke_page_tool:${toolNameOf(command.toolKey)}`];
  return [command.op];
}

/** The key of a tool is its name, prefixed by its frame unless it is in the main frame. */
function toolNameOf(toolKey: string): string {
  return toolKey.replace(/^frame\d+\//, '');
}

function rulesOf(allowlist: readonly string[]): OriginRule[] {
  const problem = problemOfOrigins(allowlist);
  if (problem !== undefined) throw new BrowserFailure('refused', problem);
  return originRules(allowlist);
}

function writeRule({ scheme, host, below, port }: OriginRule): string {
  return `${scheme}://${below ? '*.' : ''}${host}:${port}`;
}
