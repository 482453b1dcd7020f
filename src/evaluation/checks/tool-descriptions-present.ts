import type { CheckKind } from './shared/kind.ts';
import { everyDeclaredTool } from './shared/tools.ts';

export const toolDescriptionsPresent: CheckKind<'toolDescriptionsPresent'> = {
  type: 'toolDescriptionsPresent',
  stage: 'discovery',
  turnScopable: false,
  evaluate: ({ minLength = 20 }, evidence) =>
    everyDeclaredTool(
      evidence,
      ({ description }) => {
        if (typeof description !== 'string') return 'has no description';
        const { length } = description.trim();
        return length < minLength ? `has a description of ${length} characters, not ${minLength}` : undefined;
      },
      `Every tool has a description of at least ${minLength} characters`,
    ),
};
