import { z } from 'zod';

/**
 * Characters that nobody sees: those that turn the direction of what follows, or take no room. Joiners
 * are part of some scripts and of emoji, so they may stand between characters of such.
 */
const unseen =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])/u;

/** A name people read: one line, without characters that only steer a terminal. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'May not contain control characters');

/** Of people, organizations and keys, which others trust by their name: everything in it is seen. */
export const VisibleName = Name.refine(
  (name) => !unseen.test(name),
  'May not contain characters that nobody sees',
);
