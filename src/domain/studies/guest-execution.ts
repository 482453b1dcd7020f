import type { z } from 'zod';
import type { GuestExecutionFields } from '../../contract/studies.ts';

export type GuestExecution = z.output<typeof GuestExecutionFields>;

/** Default limits for guests of a study open to anyone with the link; they bound its cost. */
export const defaultGuestExecution: GuestExecution = {
  enabled: true,
  computerEnabled: false,
  sharedSkillsEnabled: true,
  dailyCreditCap: 500,
  dailyComputerStartCap: 0,
  maxConcurrentComputers: 0,
};
