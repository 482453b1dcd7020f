import type { Check } from '../../contract/eval-checks.ts';
import type { Step } from '../../contract/eval-steps.ts';
import { rehearsalId } from '../../models/catalog.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import { addCase, suiteSize } from '../eval-suites/cases/add.ts';
import { addSuite } from '../eval-suites/create.ts';
import { newSettings } from '../eval-suites/settings.ts';

interface DemoCase {
  id: string;
  title: string;
  /** Prompts, each with the checks after it. */
  turns: { prompt: string; checks: Check[] }[];
  isNegative?: true;
}

/** Cases for the demo server. The last one fails on purpose, to show a failure. */
const demoCases: DemoCase[] = [
  {
    id: 'lists-ships',
    title: 'Lists ships',
    turns: [
      {
        prompt: 'List a few ships of the harbour.',
        checks: [
          { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' },
          { type: 'responseContains', needle: 'Albatross' },
        ],
      },
    ],
  },
  {
    id: 'inspects-a-hull',
    title: 'Inspects the hull of a ship by its name',
    turns: [
      {
        prompt: 'Inspect the hull of the ship "Albatross" and report its rusty plates.',
        checks: [{ type: 'toolCalledWith', toolName: 'inspect_hull', args: { args: { ship: 'Albatross' } } }],
      },
    ],
  },
  {
    id: 'adds-numbers',
    title: 'Adds numbers',
    turns: [
      {
        prompt: 'Add the numbers 12, 30 and 8.',
        checks: [
          { type: 'toolCalledWith', toolName: 'add_numbers', args: { args: { numbers: [12, 30, 8] } } },
          { type: 'responseContains', needle: '50' },
        ],
      },
    ],
  },
  {
    id: 'two-turns',
    title: 'Lists, then inspects, in two turns',
    turns: [
      {
        prompt: 'List the ships in the harbour.',
        checks: [{ type: 'toolCalledAtLeastOnce', toolName: 'list_ships' }],
      },
      {
        prompt: 'Now inspect the hull of the ship "Bittern".',
        checks: [{ type: 'toolCalledWith', toolName: 'inspect_hull', args: { args: { ship: 'Bittern' } } }],
      },
    ],
  },
  {
    id: 'small-talk',
    title: 'Calls no tool when none is asked for',
    turns: [{ prompt: 'Thank you, and good night.', checks: [] }],
    isNegative: true,
  },
  {
    id: 'second-page',
    title: 'Finds the ship on the second page',
    turns: [
      {
        prompt: 'List all ships in the harbour.',
        checks: [{ type: 'responseContains', needle: 'Dunlin' }],
      },
    ],
  },
];

/** Saves the demo suite for the offline model, so that it runs without a key and without network. */
export async function saveDemoSuite(
  db: Db,
  { projectId, serverId, userId }: { projectId: string; serverId: string; userId: string },
): Promise<void> {
  const context = { clock: systemClock, project: { id: projectId }, actor: { user: { id: userId } } };
  const suite = await addSuite(
    context,
    db,
    {
      name: 'demo',
      description:
        'Tasks that a model should complete with the demo server. The last case fails: the server lists three ships per page, and nothing makes the model request the next page.',
      serverIds: [serverId],
      execution: { model: rehearsalId },
      hosts: [],
      settings: newSettings({ repetitions: 5, passThreshold: 0.8 }),
    },
    { source: 'system' },
  );
  const taken = await suiteSize(db, suite.id);
  for (const { id, title, turns, isNegative = false } of demoCases) {
    const definition = { steps: stepsOf(turns), iterations: 1, isNegative, models: [] };
    await addCase(context, db, suite.id, { title, declaredId: id, definition }, taken);
  }
}

function stepsOf(turns: DemoCase['turns']): Step[] {
  const steps: Step[] = [];
  const next = (): string => String(steps.length + 1);
  for (const { prompt, checks } of turns) {
    steps.push({ id: next(), kind: 'prompt', prompt });
    for (const assertion of checks) steps.push({ id: next(), kind: 'assert', assertion });
  }
  return steps;
}
