import * as journeys from '../../platform/database/queries/journeys.ts';
import * as personas from '../../platform/database/queries/personas.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { presentPersona } from './present.ts';

export const updatePersona: Verb<'updatePersona'> = (context, { personaId, body }) =>
  writeInProject(context, async (db) => {
    const one = { projectId: context.project.id, id: personaId };
    found(await db.row(personas.lock, one), 'persona');
    const before = found(await db.row(personas.find, one), 'persona');
    const { name = before.name, role = before.role, notes = before.notes } = body;
    const { avatarShape = before.avatarShape, avatarPalette = before.avatarPalette } = body;
    const persona = await db.one(personas.update, { ...one, name, role, notes, avatarShape, avatarPalette });
    await audit(db, context, 'persona.update', personaId);
    return presentPersona(persona);
  });

export const deletePersona: Verb<'deletePersona'> = (context, { personaId }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    // The lock makes concurrent assignments to a journey wait.
    found(await db.row(personas.lock, { projectId, id: personaId }), 'persona');
    const journey = await db.row(journeys.withPersona, { personaId });
    if (journey)
      throw conflict(
        `The journey ${JSON.stringify(journey.name)} has this persona. Archive the journey first`,
        'PERSONA_IN_USE',
        { journeyId: journey.id },
      );
    await db.run(personas.remove, { projectId, id: personaId });
    await audit(db, context, 'persona.delete', personaId);
    return { id: personaId, projectId, deleted: true as const };
  });
