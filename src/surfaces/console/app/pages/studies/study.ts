import type { Output } from '../../api/index.ts';

/** A study as project members see it. */
export type Study = Output<'getStudy'> & { projectId: string };
