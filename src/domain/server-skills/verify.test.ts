import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fileKey, folderName, folderOf } from './address.ts';
import { readEntry } from './entry.ts';
import { SkillRefused } from './refused.ts';
import { differenceBetween, sha256, verifyFile, verifyManifest } from './verify.ts';

const skillUri = 'skill://acme/refunds/SKILL.md';
const entryFor = (text: string, frontmatter: object = { name: 'refunds', description: 'd' }) => {
  const bytes = Buffer.from(text);
  const resources = [{ uri: skillUri, digest: `sha256:${sha256(bytes)}`, size: bytes.length }];
  return readEntry({ uri: skillUri, frontmatter, resources });
};

function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof SkillRefused) return error.refusal.kind;
    throw error;
  }
  return undefined;
}

describe('addresses', () => {
  test.each([
    ['skill://a/Q&A.md', 'skill://a/Q%26A.md#top', true],
    ['skill://a/b.md', 'skill://a/./b.md', true],
    ['skill://a/b.md', 'skill://a/B.md', false],
    ['skill://a/%zz', 'skill://a/%25zz', true],
  ])('%s and %s are one file: %s', (one, other, same) => {
    expect(fileKey(one) === fileKey(other)).toBe(same);
  });
  test.each(['', 'a/b', 'skill://a/b?c', 'skill://a/b%2fc', 'skill://a//b', 'skill://a/%00', 'urn:a:b'])(
    '%j is no address of a file',
    (uri) => expect(fileKey(uri)).toBeUndefined(),
  );
  test('the folder of a skill may be the authority itself', () => {
    expect(folderName(folderOf('skill://refunds/SKILL.md') ?? '')).toBe('refunds');
    expect(folderOf('skill://SKILL.md')).toBeUndefined();
    expect(folderOf('skill://a/skill.md')).toBeUndefined();
  });
});

test('any change of the bytes is noticed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (content, at) => {
      const bytes = Buffer.from(content);
      const file = { uri: skillUri, digest: `sha256:${sha256(bytes)}`, size: bytes.length };
      const entry = entryFor('');
      expect(refusalOf(() => verifyFile(entry, file, bytes))).toBeUndefined();
      const changed = Buffer.from(bytes);
      changed[at % changed.length] = (changed[at % changed.length] as number) ^ 1;
      expect(refusalOf(() => verifyFile(entry, file, changed))).toBe('digest_mismatch');
      expect(refusalOf(() => verifyFile(entry, file, bytes.subarray(1)))).toBe('size_mismatch');
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['no frontmatter', '# Refunds'],
  ['no end of it', '---\nname: refunds\n'],
  ['a list', '---\n- name\n---\n'],
  ['a reference', '---\nname: &a refunds\ndescription: *a\n---\n'],
  ['a key twice', '---\nname: refunds\nname: refunds\ndescription: d\n---\n'],
  ['a tower of brackets', `---\nname: ${'['.repeat(1500)}\n---\n`],
  ['much of it', `---\n---x\n${'a: b\n'.repeat(10_000)}---\n`],
  ['a number for a text', '---\nname: refunds\ndescription: 1\n---\n'],
])('%s is a frontmatter that is not the listed one', (_name, text) => {
  expect(refusalOf(() => verifyManifest(entryFor(text), Buffer.from(text)))).toBe('frontmatter_drift');
});

test('what is not UTF-8 is no SKILL.md', () => {
  expect(refusalOf(() => verifyManifest(entryFor(''), Buffer.from([0xff])))).toBe('frontmatter_drift');
});

test('a byte order mark and line ends of Windows do no harm', () => {
  const text = '\ufeff---\r\nname: refunds\r\ndescription: d\r\n---\r\nBody\r\n';
  expect(verifyManifest(entryFor(text), Buffer.from(text))).toBe('Body\r\n');
});

describe('differences', () => {
  test('a value differs from no copy of it, whatever the order of its keys', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, one]) => [key, reversed(one)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(differenceBetween(plain, reversed(plain))).toBeUndefined();
      }),
    );
  });
  test.each([
    [{ a: [] }, { a: {} }, 'a'],
    [{ a: [1, 2] }, { a: [2, 1] }, 'a.0'],
    [{ a: 1 }, { a: '1' }, 'a'],
    [{}, { a: { b: null } }, 'a'],
    [{ constructor: 1 }, {}, 'constructor'],
  ])('of %j and %j', (one, other, field) => {
    expect(differenceBetween(one, other)?.field).toBe(field);
  });
});
