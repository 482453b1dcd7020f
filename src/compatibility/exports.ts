import { sameJson } from '../platform/canonical.ts';
import { mapYielding } from '../platform/flow/yielding.ts';
import { isObject } from '../platform/json/is-object.ts';
import { below, type Difference, Differences, type DocumentPlace, type Impact, shown } from './difference.ts';
import { compareSchemas, newBudget } from './schemas.ts';
import type { Budget } from './walk.ts';

/** The compared parts of a server export. */
export interface ServerExport {
  server?: unknown;
  protocolVersion?: unknown;
  instructions?: unknown;
  capabilities?: unknown;
  tools: readonly unknown[];
  prompts: readonly unknown[];
  resources: readonly unknown[];
  resourceTemplates: readonly unknown[];
}

export interface ContractComparison {
  /** The most severe impact. Undefined if nothing changed. */
  impact: Impact | undefined;
  counts: Record<Impact, number>;
  /** Most severe first. */
  differences: Difference[];
  /** Number of differences that are counted but not listed. */
  omitted: number;
}

type Json = Record<string, unknown>;

/** Compares two exports of a server, and rates the impact of each difference on clients. Takes bounded time. */
export async function compareExports(
  baseline: ServerExport,
  current: ServerExport,
): Promise<ContractComparison> {
  const differences = new Differences();
  const budget = newBudget();
  compareServer(differences, baseline, current);
  const lists = [
    ['tools', 'tool', 'name', compareTools],
    ['prompts', 'prompt', 'name', comparePrompts],
    ['resources', 'resource', 'uri', compareResources],
    ['resourceTemplates', 'resource template', 'uriTemplate', compareResources],
  ] as const;
  for (const [list, word, key, compare] of lists)
    await compareLists(
      { differences, budget },
      { list, word, key, baseline: baseline[list], current: current[list] },
      compare,
    );
  const { counts } = differences;
  return {
    impact: (['breaking', 'risky', 'safe'] as const).find((impact) => counts[impact] > 0),
    counts,
    differences: differences.sorted(),
    omitted: differences.omitted,
  };
}

function compareServer(differences: Differences, baseline: ServerExport, current: ServerExport): void {
  const place = (key: string): DocumentPlace => ({
    subject: 'server',
    baseline: `/${key}`,
    current: `/${key}`,
  });
  text(
    differences,
    'risky',
    baseline.instructions,
    current.instructions,
    place('instructions'),
    'The instructions',
  );
  text(
    differences,
    'risky',
    baseline.protocolVersion,
    current.protocolVersion,
    place('protocolVersion'),
    'The version of the protocol',
  );
  const [was, is] = [objectOf(baseline.capabilities), objectOf(current.capabilities)];
  for (const name of Object.keys(was))
    if (!Object.hasOwn(is, name))
      differences.add(
        'breaking',
        'removed',
        below(place('capabilities'), name),
        `The capability ${shown(name)} was removed`,
      );
  for (const name of Object.keys(is))
    if (!Object.hasOwn(was, name))
      differences.add(
        'safe',
        'added',
        below(place('capabilities'), name),
        `The capability ${shown(name)} is new`,
      );
  const [older, newer] = [objectOf(baseline.server)['version'], objectOf(current.server)['version']];
  text(differences, 'safe', older, newer, below(place('server'), 'version'), 'The version of the server');
}

interface Lists {
  list: string;
  word: string;
  /** The property that identifies an item. */
  key: string;
  baseline: readonly unknown[];
  current: readonly unknown[];
}

interface Work {
  differences: Differences;
  budget: Budget;
}

async function compareLists(
  work: Work,
  { list, word, key, baseline, current }: Lists,
  compare: (work: Work, before: Json, after: Json, place: DocumentPlace) => void,
): Promise<void> {
  const { differences } = work;
  const [was, is] = [named(baseline, key), named(current, key)];
  await mapYielding([...was], ([name, { item, at, display }]) => {
    const other = is.get(name);
    const subject = `${word} ${display}`;
    const place = { subject, baseline: `/${list}/${at}`, current: `/${list}/${other?.at ?? at}` };
    if (other) compare(work, item, other.item, place);
    else differences.add('breaking', 'removed', place, `The ${subject} was removed`);
  });
  for (const [name, { at, display }] of is)
    if (!was.has(name)) {
      const subject = `${word} ${display}`;
      differences.add(
        'safe',
        'added',
        { subject, baseline: '', current: `/${list}/${at}` },
        `The ${subject} is new`,
      );
    }
}

/** Indexes items by key. If a broken server lists a key more than once, items are matched by their occurrence. */
function named(
  items: readonly unknown[],
  key: string,
): Map<string, { item: Json; at: number; display: string }> {
  const byName = new Map<string, { item: Json; at: number; display: string }>();
  const times = new Map<string, number>();
  items.forEach((listed, at) => {
    const item = objectOf(listed);
    const display = typeof item[key] === 'string' ? item[key] : `number ${at}`;
    const nth = (times.get(display) ?? 0) + 1;
    times.set(display, nth);
    byName.set(`${nth}\n${display}`, { item, at, display: display.slice(0, 200).toWellFormed() });
  });
  return byName;
}

function compareTools({ differences, budget }: Work, before: Json, after: Json, place: DocumentPlace): void {
  described(differences, before, after, place);
  const [was, is] = [objectOf(before['annotations']), objectOf(after['annotations'])];
  for (const hint of new Set([...Object.keys(was), ...Object.keys(is)]))
    text(
      differences,
      'risky',
      was[hint],
      is[hint],
      below(place, 'annotations', hint),
      `The annotation ${hint.slice(0, 100)}`,
    );
  text(
    differences,
    'risky',
    before['execution'],
    after['execution'],
    below(place, 'execution'),
    'How it is executed',
  );
  compareSchemas(
    differences,
    'input',
    before['inputSchema'] ?? {},
    after['inputSchema'] ?? {},
    below(place, 'inputSchema'),
    budget,
  );
  const at = below(place, 'outputSchema');
  const [given, gives] = [before['outputSchema'], after['outputSchema']];
  if (given !== undefined && gives === undefined)
    differences.add('breaking', 'removed', at, 'The tool no longer declares its output');
  else if (given === undefined && gives !== undefined)
    differences.add('safe', 'added', at, 'The tool now declares its output');
  else if (given !== undefined) compareSchemas(differences, 'output', given, gives, at, budget);
}

function comparePrompts({ differences }: Work, before: Json, after: Json, place: DocumentPlace): void {
  described(differences, before, after, place);
  const [was, is] = [named(listOf(before['arguments']), 'name'), named(listOf(after['arguments']), 'name')];
  for (const [name, { item, at, display }] of was) {
    const other = is.get(name);
    const there = {
      subject: place.subject,
      baseline: `${place.baseline}/arguments/${at}`,
      current: `${place.current}/arguments/${other?.at ?? at}`,
    };
    if (!other)
      differences.add('risky', 'removed', there, `The argument ${shown(display)} is no longer declared`);
    else {
      described(differences, item, other.item, there);
      const [must, mustNow] = [item['required'] === true, other.item['required'] === true];
      if (!must && mustNow)
        differences.add(
          'breaking',
          'required',
          below(there, 'required'),
          `The argument ${shown(display)} is required now`,
        );
      if (must && !mustNow)
        differences.add(
          'safe',
          'optional',
          below(there, 'required'),
          `The argument ${shown(display)} is optional now`,
        );
    }
  }
  for (const [name, { item, at, display }] of is)
    if (!was.has(name)) {
      const must = item['required'] === true;
      const there = { ...place, baseline: '', current: `${place.current}/arguments/${at}` };
      differences.add(
        must ? 'breaking' : 'safe',
        must ? 'required' : 'added',
        there,
        `The argument ${shown(display)} is new${must ? ' and required' : ''}`,
      );
    }
}

function compareResources({ differences }: Work, before: Json, after: Json, place: DocumentPlace): void {
  described(differences, before, after, place);
  for (const key of ['name', 'mimeType'])
    text(differences, 'risky', before[key], after[key], below(place, key), `Its ${key}`);
}

/** Compares the texts that models and people read. */
function described(differences: Differences, before: Json, after: Json, place: DocumentPlace): void {
  for (const key of ['description', 'title'])
    text(differences, 'risky', before[key], after[key], below(place, key), `Its ${key}`);
}

function text(
  differences: Differences,
  impact: Impact,
  was: unknown,
  is: unknown,
  place: DocumentPlace,
  what: string,
): void {
  if (sameJson(was ?? null, is ?? null)) return;
  differences.add(impact, 'text', place, `${what} went from ${shown(was ?? null)} to ${shown(is ?? null)}`);
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
