import { partFrom } from '../api/parts.ts';

/** A dialog whose code is loaded on first use. */
export const LazyDialog = partFrom(() => import('./dialog.tsx'), 'Dialog');
