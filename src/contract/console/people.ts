import { z } from 'zod';
import { Time } from '../paging.ts';

export const OrganizationRole = z
  .enum(['owner', 'admin', 'member'])
  .describe(
    '`owner`: full access. `admin`: full access except to owners. `member`: works in the projects they have access to.',
  );

export const ProjectRole = z.enum(['admin', 'member']);

export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@<>"\p{Cc}\p{Cf}]+@[^\s@<>"\p{Cc}\p{Cf}]+$/u, 'Must be an email address');

export const NewPassword = z
  .string()
  .min(10)
  .max(200)
  .describe('10 to 200 characters. Common passwords and the email address are rejected.');

/** A password to compare, with the length limits of stored ones. */
export const Password = z.string().min(1).max(200);

/** An account at an identity provider that is linked to a user. */
export const Identity = z.object({ id: z.string(), issuer: z.string(), linkedAt: Time });

/** A user as visible to others. */
export const PersonSummary = z.object({ id: z.string(), email: z.string(), name: z.string() });
