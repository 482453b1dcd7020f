import type { z } from 'zod';
import type { GuestExecutionFields } from '../../contract/studies.ts';

export type GuestExecution = z.output<typeof GuestExecutionFields>;

/** Whoever publishes to everybody with the link wants them to chat; this bounds what it costs. */
export const usualGuestExecution: GuestExecution = {
  enabled: true,
  computerEnabled: false,
  sharedSkillsEnabled: true,
  dailyCreditCap: 500,
  dailyComputerStartCap: 0,
  maxConcurrentComputers: 0,
};
