import { withTimeout } from '../../../platform/flow/deadline.ts';
import { createClient } from '../../client/index.ts';
import { type Named, nameOf } from '../../common/naming.ts';
import { lightFetch } from '../connect/light-fetch.ts';
import { readProfiles } from '../connect/profiles.ts';
import { findService } from '../connect/service-location.ts';
import type { Flag } from '../operations/flags.ts';
import { Names } from '../operations/lookup.ts';
import { type OperationCommand, operationManifest } from '../operations/manifest.ts';

/** Timeout of a completion, for which the user is waiting. */
const timeoutMs = 2_000;

/** The parameter that the argument of a hand-written command names. */
const named: Record<string, string> = {
  'evals run': 'suiteId',
  'evals export': 'suiteId',
  'journeys run': 'journeyId',
  check: 'serverId',
};

/** The parameters that flags of hand-written commands name. */
const namedFlags: Record<string, Record<string, string>> = {
  chat: { server: 'serverId', environment: 'environmentId', client: 'client', session: 'sessionId' },
  journeys: { env: 'environmentId' },
};

/** Completions of the last word: names, or IDs where a name cannot be used. */
export async function complete(words: readonly string[]): Promise<string[]> {
  return withTimeout(timeoutMs, candidates(words)).catch(() => []);
}

async function candidates(words: readonly string[]): Promise<string[]> {
  const before = words.slice(0, -1);
  const [group = '', verb = ''] = before;
  const entry = operationManifest.commands.find((one) => one.group === group && one.verb === verb);
  const flag = before.at(-1)?.replace(/^--/, '');
  if (before.at(-1)?.startsWith('--') && flag !== undefined && takesValue(entry, flag))
    return valuesOf(entry, flag, before);
  const param = entry
    ? entry.params[argumentsIn(before.slice(2), entry).length]?.param
    : (named[`${group} ${verb}`] ?? named[group]);
  return param === undefined ? [] : namesFor(param, before, entry);
}

function flagNamed(entry: OperationCommand | undefined, flag: string): Flag | undefined {
  return entry?.flags.find((one) => one.flag === flag);
}

const switches = new Set(['json', 'all', 'yes', 'help', 'wait', 'update', 'include-writes', 'auto']);

function takesValue(entry: OperationCommand | undefined, flag: string): boolean {
  const declared = flagNamed(entry, flag);
  return declared ? declared.kind !== 'boolean' : !switches.has(flag);
}

async function valuesOf(
  entry: OperationCommand | undefined,
  flag: string,
  before: readonly string[],
): Promise<string[]> {
  if (flag === 'profile') return Object.keys((await readProfiles()).profiles);
  if (flag === 'project' || flag === 'organization') return namesFor(`${flag}Id`, before, entry);
  const byName = entry ? undefined : namedFlags[before[0] ?? '']?.[flag];
  if (byName !== undefined) return namesFor(byName, before, entry);
  const declared = flagNamed(entry, flag);
  if (declared?.choices) return declared.choices;
  return declared?.names === undefined ? [] : namesFor(declared.names, before, entry);
}

/** The words that are neither flags nor their values. */
function argumentsIn(words: readonly string[], entry: OperationCommand): string[] {
  return words.filter((word, i) => {
    const flag = words[i - 1]?.startsWith('--') ? words[i - 1]?.slice(2) : undefined;
    return !word.startsWith('--') && !(flag !== undefined && takesValue(entry, flag));
  });
}

async function namesFor(
  param: string,
  before: readonly string[],
  entry: OperationCommand | undefined,
): Promise<string[]> {
  const lookup = operationManifest.lookups[param];
  const place = await findService(placeIn(before));
  // Opening a database would take too long.
  if (!lookup || place?.kind !== 'service') return [];
  const api = createClient({
    baseUrl: place.baseUrl,
    apiKey: place.apiKey,
    retries: 0,
    timeout: timeoutMs,
    fetch: lightFetch,
  });
  const lookups = operationManifest.lookups;
  const names: Names = new Names(api, lookups, () => names.idOf('projectId', place.project ?? 'Default', {}));
  const known: Record<string, string> = {};
  for (const [i, word] of argumentsIn(before.slice(2), entry ?? nothing).entries()) {
    const given = entry?.params[i]?.param;
    if (given !== undefined) known[given] = await names.idOf(given, word, known);
  }
  return namesOf(await names.list(lookup, known));
}

const nothing = { flags: [] as Flag[] } as OperationCommand;

function placeIn(words: readonly string[]): { service?: string; profile?: string; project?: string } {
  const after = (flag: string): string | undefined => {
    const at = words.lastIndexOf(flag);
    return at < 0 ? undefined : words[at + 1];
  };
  const [service, profile, project] = [after('--service'), after('--profile'), after('--project')];
  return {
    ...(service !== undefined && { service }),
    ...(profile !== undefined && { profile }),
    ...(project !== undefined && { project }),
  };
}

/** Names; an ID instead of a name that is ambiguous, looks like a flag or contains control characters. */
function namesOf(items: readonly Named[]): string[] {
  const counted = new Map<string, number>();
  for (const item of items) counted.set(nameOf(item), (counted.get(nameOf(item)) ?? 0) + 1);
  const words = items.map((item) => {
    const name = nameOf(item);
    return counted.get(name) === 1 && isWord(name) ? name : item.id;
  });
  return words.filter(isWord);
}

function isWord(text: unknown): boolean {
  return typeof text === 'string' && /^[^-\p{C}\p{Zl}\p{Zp}][^\p{C}\p{Zl}\p{Zp}]*$/u.test(text);
}
