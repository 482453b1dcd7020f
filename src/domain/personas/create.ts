import * as personas from '../../platform/database/queries/personas.ts';
import { newId } from '../../platform/ids.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { presentPersona, slugOf } from './present.ts';

export const createPersona: Verb<'createPersona'> = (context, { body }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    const { name, role, notes, avatarShape, avatarPalette } = body;
    await checkRoom(context, db, 'personas', personas.count, { projectId });
    const persona = await db.one(personas.insert, {
      id: newId('pers', context.clock()),
      projectId,
      slug: slugOf(name),
      name,
      role,
      notes: notes ?? null,
      source: 'manual',
      avatarShape: avatarShape ?? null,
      avatarPalette: avatarPalette ?? null,
    });
    await audit(db, context, 'persona.create', persona.id);
    return presentPersona(persona);
  });
