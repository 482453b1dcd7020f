import * as personas from '../../platform/database/queries/personas.ts';
import { pageByLatest } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentPersona } from './present.ts';

export const listPersonas: Verb<'listPersonas'> = (context, page) => {
  const { db, project } = context;
  const projectId = project.id;
  return pageByLatest(
    context,
    ['personas', projectId],
    page,
    (before, most) => db.rows(personas.list, { projectId, before, most }),
    presentPersona,
  );
};

export const getPersona: Verb<'getPersona'> = async ({ db, project }, { personaId }) =>
  presentPersona(found(await db.row(personas.find, { projectId: project.id, id: personaId }), 'persona'));
