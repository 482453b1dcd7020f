import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

test('what a spreadsheet reads: quoted where it must be, nothing for what is not known, no formulas', () => {
  const rows = [
    ['a, "b"', 0.5, null],
    ['=1+1', -2, undefined],
  ];
  expect(csvOf(['Run', 'Rate', 'Cost'], rows)).toBe(
    ['Run,Rate,Cost', '"a, ""b""",0.5,', "'=1+1,-2,"].join('\r\n'),
  );
});
