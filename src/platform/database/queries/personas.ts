import { bigint, integer, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const personas = table('personas', {
  id: text,
  projectId: text,
  slug: text,
  name: text,
  role: text,
  notes: orNull(text),
  source: oneOf<'manual' | 'generated' | 'cluster'>(),
  avatarShape: orNull(integer),
  avatarPalette: orNull(integer),
  createdAt: time,
  updatedAt: time,
});
export type PersonaRow = RowOf<typeof personas.columns>;

const one = { projectId: text, id: text };
const ofProject = `project_id = :projectId and id = :id`;

/** Latest persona first. */
export const list = query(
  'personas.list',
  `select ${personas.all()} from personas where project_id = :projectId and (:before::text is null or id < :before)
   order by id desc limit :most`,
  { projectId: text, before: orNull(text), most: bigint },
  personas.columns,
  { index: 'personas_project' },
);
export const find = query('personas.find', `select ${personas.all()} from personas where ${ofProject}`, one, {
  ...personas.columns,
});
/** Prevents deletion of the persona until the transaction ends. */
export const hold = query(
  'personas.hold',
  `select ${personas.all()} from personas where ${ofProject} for key share`,
  one,
  personas.columns,
);
export const lock = query('personas.lock', `select id from personas where ${ofProject} for update`, one, {
  id: text,
});
export const count = query(
  'personas.count',
  'select count(*)::int as count from personas where project_id = :projectId',
  { projectId: text },
  { count: integer },
);

const made = [
  'id',
  'projectId',
  'slug',
  'name',
  'role',
  'notes',
  'source',
  'avatarShape',
  'avatarPalette',
] as const;
/** Appends the end of the ID to a slug that is taken. */
export const insert = query(
  'personas.insert',
  `insert into personas (id, project_id, slug, name, role, notes, source, avatar_shape, avatar_palette)
   select :id, :projectId,
     case when exists (select from personas where project_id = :projectId and slug = :slug)
       then :slug || '-' || lower(right(:id, 8)) else :slug end,
     :name, :role, :notes, :source, :avatarShape, :avatarPalette
   returning ${personas.all()}`,
  personas.pick(made),
  personas.columns,
);
const changed = ['name', 'role', 'notes', 'avatarShape', 'avatarPalette'] as const;
export const update = query(
  'personas.update',
  `update personas set ${personas.set(changed)}, updated_at = now() where ${ofProject} returning ${personas.all()}`,
  { ...one, ...personas.pick(changed) },
  personas.columns,
);
export const remove = query('personas.delete', `delete from personas where ${ofProject}`, one);
