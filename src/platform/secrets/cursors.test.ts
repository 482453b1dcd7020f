import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Cursors } from './cursors.ts';

const cursors = new Cursors(Buffer.alloc(32, 7));
const scopes = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 });

test('a cursor opens for its own scope and for no other', () => {
  fc.assert(
    fc.property(scopes, scopes, fc.string({ minLength: 1, unit: 'grapheme' }), (scope, other, position) => {
      const cursor = cursors.seal(scope, position);
      expect(cursors.open(scope, cursor)).toBe(position);
      const same = JSON.stringify(scope) === JSON.stringify(other);
      expect(cursors.open(other, cursor)).toBe(same ? position : undefined);
    }),
  );
});

test('whatever is changed about a cursor, it does not open', () => {
  const cursor = cursors.seal(['servers', 'p'], 'srv_01');
  fc.assert(
    fc.property(fc.string(), fc.nat(cursor.length), (piece, at) => {
      const changed = cursor.slice(0, at) + piece + cursor.slice(at + 1);
      expect(cursors.open(['servers', 'p'], changed)).toBe(changed === cursor ? 'srv_01' : undefined);
    }),
    { numRuns: 1000 },
  );
});

test('another installation does not open it', () => {
  expect(new Cursors(Buffer.alloc(32, 8)).open([], cursors.seal([], 'x'))).toBeUndefined();
});
