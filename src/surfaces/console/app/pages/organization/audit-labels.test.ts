import { expect, test } from 'vitest';
import { actionText } from './audit-labels.ts';

test.each([
  ['key.create', 'created an API key'],
  ['member.make-admin', 'made someone admin'],
  ['project-member.make-member', 'made someone member of a project'],
  ['server.update', 'changed a server'],
  ['environment.create', 'made an environment'],
  ['eval-suite.sync', 'imported: an eval suite'],
  ['something.unheard-of', 'something.unheard-of'],
  ['nothing', 'nothing'],
])('%s is said as %s', (action, words) => {
  expect(actionText(action)).toBe(words);
});
