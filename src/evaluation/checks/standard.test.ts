import { expect, test } from 'vitest';
import { type Check, EvalCheck, standardCheckIds } from '../../contract/eval-checks.ts';
import { effectiveChecks, seededChecks, standardChecks } from './standard.ts';

const own: Check = { type: 'responseContains', needle: 'Kiel' };
const hops: Check = { type: 'toolCallCountUnder', count: 9, role: 'advisory' };
const strictHops: Check = { type: 'toolCallCountUnder', count: 9 };

test('every standard check can be stored, and decides nothing', () => {
  expect(Object.keys(standardChecks).sort()).toEqual([...standardCheckIds].sort());
  for (const check of [...Object.values(standardChecks), ...seededChecks]) {
    expect(EvalCheck.safeParse(check).success).toBe(true);
    expect(check).toMatchObject({ role: 'advisory', severity: 'warn' });
  }
});

test.each<[string, Parameters<typeof effectiveChecks>[0], Check[]]>([
  ['nothing said', { suite: [hops] }, [hops]],
  ['null said', { suite: [hops], case: null }, [hops]],
  [
    'inherit, with a list that is not used',
    { suite: [hops], case: { mode: 'inherit', list: [own] } },
    [hops],
  ],
  ['extend', { suite: [hops], case: { mode: 'extend', list: [own] } }, [hops, own]],
  ['replace', { suite: [hops], case: { mode: 'replace', list: [own] } }, [own]],
  ['replace with nothing', { suite: [hops], case: { mode: 'replace', list: [] } }, []],
  ['suppressed', { suite: [hops, own], suppressed: ['selection.hops'] }, [own]],
  ['suppressed, but it decides', { suite: [strictHops], suppressed: ['selection.hops'] }, [strictHops]],
  [
    'suppressed in the suite, but the case asks for it',
    { suite: [hops], case: { mode: 'extend', list: [hops] }, suppressed: ['selection.hops'] },
    [hops],
  ],
  ['nothing for a widget', { suite: [], renderedTool: 'map' }, [{ type: 'widgetRendered', toolName: 'map' }]],
  ['something for a widget', { suite: [own], renderedTool: 'map' }, [own]],
])('%s', (_title, given, checks) => {
  expect(effectiveChecks(given)).toEqual(checks);
});
