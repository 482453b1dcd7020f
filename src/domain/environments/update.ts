import { conflict } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { changed } from './composition.ts';
import { mustBeLive, writeEnvironment } from './write.ts';

export const updateEnvironment: Verb<'updateEnvironment'> = (context, { environmentId, body }) => {
  const { expectedRevision, name, description, ...composition } = body;
  return writeEnvironment(context, {
    action: 'update',
    id: environmentId,
    expectedRevision,
    change: (current) => {
      mustBeLive(current);
      if (current.name === null)
        throw conflict('An ad hoc environment cannot be edited. Name it first', 'ENV_ADHOC');
      return {
        ...current,
        name: name ?? current.name,
        description: description === undefined ? current.description : description || null,
        ...changed(current, composition),
      };
    },
  });
};
