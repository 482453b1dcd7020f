import { gate } from './operation.ts';

/** Switched on and off for each organization. */
export const studies = gate('user-testing');
