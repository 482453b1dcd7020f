import { z } from 'zod';

export const project = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .describe('Name or id of the project; the Default project if left out.');
export const server = z.string().min(1).max(300).describe('Name or id of the server.');
export const suite = z.string().min(1).max(300).describe('Name or id of the suite.');
export const run = z.string().min(1).max(128).describe('Id of the run.');
