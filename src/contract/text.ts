import { z } from 'zod';

/** A name people read: one line, without characters that only steer a terminal. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'May not contain control characters');
