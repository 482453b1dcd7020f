import { expect, test } from 'vitest';
import { actionText } from './audit-labels.ts';

test.each([
  ['key.create', 'created an API key'],
  ['member.make-admin', "set a member's role to admin"],
  ['project-member.make-member', "set a member's project role to member"],
  ['server.update', 'changed a server'],
  ['environment.create', 'created an environment'],
  ['eval-suite.sync', 'imported: an eval suite'],
  ['something.unheard-of', 'something.unheard-of'],
  ['nothing', 'nothing'],
])('%s is said as %s', (action, words) => {
  expect(actionText(action)).toBe(words);
});
