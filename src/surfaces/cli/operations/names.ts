import type { Operation } from '../../../contract/operation.ts';

/** The name of a command: `drydock <group> <verb>`. */
export interface CommandName {
  group: string;
  verb: string;
}

/** Path parameters that are options, because nearly every command has them. */
const containers = /^\/(projects\/\{projectId\}|organizations\/\{organizationId\})(?=\/)/;

/**
 * The name that the contract declares, or one derived from the path: the collection is the group, and the verb follows
 * from the method or is the rest of the path.
 */
export function commandName(operation: Operation, answersList: boolean): CommandName {
  if (operation.command !== undefined) {
    const [group, verb] = operation.command.split(' ') as [string, string];
    return { group, verb };
  }
  const [, group = '', ...rest] = operation.path.replace(containers, '').split('/');
  const isItem = rest.at(-1)?.startsWith('{') ?? false;
  const tail = rest.filter((part) => !part.startsWith('{')).join('-');
  if (tail === '') return { group, verb: plainVerb(operation, isItem, answersList) };
  if (tail === 'events') return { group, verb: 'watch' };
  const lead = { GET: '', POST: '', PATCH: 'update-', PUT: 'set-', DELETE: 'delete-' }[operation.method];
  return { group, verb: `${lead}${tail}` };
}

function plainVerb({ method }: Operation, isItem: boolean, answersList: boolean): string {
  if (method === 'GET') return answersList && !isItem ? 'list' : 'get';
  return { POST: 'create', PATCH: 'update', PUT: 'set', DELETE: 'delete' }[method];
}

/** `server` for `serverId`. */
export function argumentName(param: string): string {
  return kebab(param.replace(/Ids?$/, ''));
}

export function kebab(name: string): string {
  return name
    .replaceAll('OAuth', 'Oauth')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

/** The key that commander uses: `serverId` for `--server-id`. */
export function optionKey(flag: string): string {
  return flag.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
