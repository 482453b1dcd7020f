import type { Verb } from '../context/verb.ts';
import { saveClient } from './create.ts';
import { clientCalled } from './find.ts';

export const duplicateClient: Verb<'duplicateClient'> = async (context, { client, body }) => {
  const source = await clientCalled(context.db, context.project.id, client, true);
  return saveClient(context, body.name ?? copyOf(source.name), source, source.config);
};

function copyOf(name: string): string {
  const suffix = ' (copy)';
  // Does not split a surrogate pair.
  return `${name.slice(0, 200 - suffix.length).replace(/[\uD800-\uDBFF]$/, '')}${suffix}`;
}
