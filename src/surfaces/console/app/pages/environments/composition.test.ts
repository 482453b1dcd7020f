import { expect, test } from 'vitest';
import { createBody, nothing, updateBody } from './composition.ts';

const staging = { ...nothing, name: 'Staging', hostId: 'cli_1', modelId: 'm', secretIds: ['a', 'b'] };

test('what is empty is left out of a new one', () => {
  expect(createBody(staging)).toEqual({
    name: 'Staging',
    hostId: 'cli_1',
    modelId: 'm',
    secretSelection: { mode: 'explicit', secretIds: ['a', 'b'] },
  });
});

test('an edit sends what differs, and null for what is taken away', () => {
  const after = { ...staging, description: 'x', modelId: '', secretIds: [], serverAttachmentId: 'grp_1' };
  expect(updateBody(staging, after, 3)).toEqual({
    expectedRevision: 3,
    description: 'x',
    modelId: null,
    secretSelection: null,
    serverAttachmentId: 'grp_1',
  });
});

test('the order in which things were chosen is no change', () => {
  expect(updateBody(staging, { ...staging, secretIds: ['b', 'a'] }, 3)).toEqual({ expectedRevision: 3 });
});
