import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { PersonaRow } from '../../platform/database/queries/personas.ts';

export function presentPersona({
  avatarShape,
  avatarPalette,
  ...persona
}: PersonaRow): OutputOf<Operations['getPersona']> {
  return { ...persona, avatar: { shape: avatarShape, palette: avatarPalette } };
}

/** For URLs: lower-case letters and digits, separated by single hyphens. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain.slice(0, 80) || 'persona';
}
