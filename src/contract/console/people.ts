import { z } from 'zod';
import { Time } from '../paging.ts';

export const OrganizationRole = z
  .enum(['owner', 'admin', 'member'])
  .describe('`owner`: everything. `admin`: everything but owners. `member`: the projects they may enter.');

export const ProjectRole = z.enum(['admin', 'member']);

export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@<>"\p{Cc}\p{Cf}]+@[^\s@<>"\p{Cc}\p{Cf}]+$/u, 'Not an e-mail address');

export const NewPassword = z
  .string()
  .min(10)
  .max(200)
  .describe('10 to 200 characters. Not one of the most common, and not the e-mail address.');

/** What is typed is compared as it is; nothing shorter or longer can be right. */
export const Password = z.string().min(1).max(200);

/** An account elsewhere that opens one here. */
export const Identity = z.object({ id: z.string(), issuer: z.string(), linkedAt: Time });

/** Somebody as others see them. */
export const PersonSummary = z.object({ id: z.string(), email: z.string(), name: z.string() });
