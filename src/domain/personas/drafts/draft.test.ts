import fc from 'fast-check';
import { expect, test } from 'vitest';
import { journeyFields } from '../../../contract/journeys.ts';
import { createPersona } from '../../../contract/personas.ts';
import { isStorable } from '../../../platform/json/storable.ts';
import { toolsToTry } from '../../case-drafts/draft.ts';
import { draftJourneys, draftPersonas } from './draft.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '_',
    '- -',
    '\0',
    '\ud800',
    'list_ships',
    '🚢'.repeat(150),
    'word '.repeat(1_000),
    '\nLine',
  ),
);
const anyTool = fc.record(
  {
    name: anyText,
    description: anyText,
    inputSchema: fc.record({ required: fc.array(anyText, { maxLength: 3 }) }),
  },
  { requiredKeys: ['name'] },
);

test('whatever the tools are called and say, each draft can be saved, and no two journeys of a persona are alike', () => {
  const listed = fc.uniqueArray(anyTool, { selector: ({ name }) => name, maxLength: 6 });
  fc.assert(
    fc.property(
      listed,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 5 }),
      (raw, personaCount, journeyCount) => {
        const tools = toolsToTry(raw);
        const drafts = draftPersonas(tools, { personaCount, journeyCount, existing: [] });
        expect(drafts).toHaveLength(personaCount);
        const possible = [0, 1, 3][tools.length] ?? 2 * tools.length;
        for (const { persona } of drafts) expect(createPersona.body.parse(persona)).toEqual(persona);
        const ofSomebody = draftJourneys(tools, journeyCount);
        for (const journeys of [ofSomebody, ...drafts.map((draft) => draft.journeys)]) {
          expect(journeys).toHaveLength(Math.min(journeyCount, possible));
          for (const { name, goal, suggestedChecks } of journeys) {
            expect(journeyFields.name.parse(name)).toBe(name);
            expect(journeyFields.goal.parse(goal)).toBe(goal);
            expect(isStorable(`${name}${goal}`)).toBe(true);
            expect(suggestedChecks?.length).toBeGreaterThan(0);
          }
          const asked = journeys.map(({ suggestedChecks }) => JSON.stringify(suggestedChecks));
          expect(new Set(asked).size).toBe(journeys.length);
        }
      },
    ),
    { numRuns: 200 },
  );
});
