import { expect, test } from 'vitest';
import { DeclaredArtifacts } from '../../../../../contract/readiness-declared.ts';
import { declaredFields, declaredOf, draftOf } from './declared-fields.ts';

test('every field that can be declared is asked for, once', () => {
  const names = declaredFields.flatMap(([, fields]) => fields.map(({ name }) => name));
  expect(names.toSorted()).toEqual(Object.keys(DeclaredArtifacts.shape).toSorted());
});

test('what is typed is declared, what is left empty is not', () => {
  const declared = declaredOf({
    name: ' Ships ',
    tagline: '  ',
    screenshots: '3',
    testAccount: 'no',
    countries: 'DE, NL',
    privacyPolicyUrl: 'https://ships.example/privacy',
  });
  expect(declared).toEqual({
    name: 'Ships',
    screenshots: 3,
    testAccount: false,
    countries: ['DE', 'NL'],
    privacyPolicyUrl: 'https://ships.example/privacy',
  });
  expect(DeclaredArtifacts.safeParse(declared).success).toBe(true);
  expect(declaredOf(draftOf(JSON.stringify(declared)) ?? {})).toEqual(declared);
});

test('a file with something else in it fills in what it has of it', () => {
  expect(draftOf('[1]')).toBeUndefined();
  expect(draftOf('{')).toBeUndefined();
  expect(
    draftOf('{"name": 1, "__proto__": {"tagline": "x"}, "tagline": "Ships", "screenshots": "2"}'),
  ).toEqual({
    tagline: 'Ships',
  });
});
