import { expect, test } from 'vitest';
import { sorted } from './list.ts';

test('a long list is read in turns, in which others go on', async () => {
  const entries = Array.from({ length: 3_000 }, (_, nth) => {
    const uri = `skill://acme/s${nth}/SKILL.md`;
    const frontmatter = { name: `s${nth}`, description: 'One of many.' };
    return { uri, frontmatter, resources: [{ uri, digest: `sha256:${'0'.repeat(64)}` }] };
  });
  let turns = 0;
  let next = setImmediate(function again() {
    turns++;
    next = setImmediate(again);
  });
  const { skills } = await sorted('srv_1', entries);
  clearImmediate(next);
  expect(skills).toHaveLength(3_000);
  expect(turns).toBeGreaterThan(2);
});
