import { z } from 'zod';

export const project = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .describe('Name or ID of the project (default: the Default project).');
export const server = z.string().min(1).max(300).describe('Name or ID of the server.');
export const suite = z.string().min(1).max(300).describe('Name or ID of the suite.');
export const run = z.string().min(1).max(128).describe('ID of the run.');
