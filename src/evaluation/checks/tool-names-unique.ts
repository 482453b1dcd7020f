import type { CheckKind } from './shared/kind.ts';
import { everyDeclaredTool } from './shared/tools.ts';

/** No server declares two tools of the same name; two servers may. */
export const toolNamesUnique: CheckKind<'toolNamesUnique'> = {
  type: 'toolNamesUnique',
  stage: 'discovery',
  turnScopable: false,
  evaluate(_check, evidence) {
    const seen = new Set<string>();
    return everyDeclaredTool(
      evidence,
      ({ serverId, name }) => {
        const key = JSON.stringify([serverId, name]);
        if (seen.has(key)) return 'is declared more than once';
        seen.add(key);
        return undefined;
      },
      'No two tools of a server have the same name',
    );
  },
};
