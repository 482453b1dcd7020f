import { z } from 'zod';

/**
 * Invisible characters: they change the text direction or have no width. Joiners are part of some scripts and of emoji,
 * so they are allowed between non-ASCII characters.
 */
const unseen =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])/u;

/** A name in one line, without control characters. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'Must not contain control characters');

/** A name without invisible characters, for people, organizations and keys, which could make two names look the same. */
export const VisibleName = Name.refine((name) => !unseen.test(name), 'Must not contain invisible characters');

export const id = z.string().min(1).max(128);
export const count = z.number().int().min(0);
