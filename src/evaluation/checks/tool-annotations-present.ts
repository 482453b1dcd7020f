import { isObject } from '../json/value.ts';
import type { CheckKind } from './shared/kind.ts';
import { everyDeclaredTool, hint } from './shared/tools.ts';

/** Every tool has annotations, and each required hint in them is true or false. */
export const toolAnnotationsPresent: CheckKind<'toolAnnotationsPresent'> = {
  type: 'toolAnnotationsPresent',
  stage: 'discovery',
  turnScopable: false,
  evaluate: ({ require = [] }, evidence) =>
    everyDeclaredTool(
      evidence,
      (tool) => {
        if (!isObject(tool.annotations)) return 'has no annotations';
        const absent = require.find((name) => typeof hint(tool, name) !== 'boolean');
        return absent === undefined ? undefined : `has no ${absent}`;
      },
      'Every tool has annotations',
    ),
};
