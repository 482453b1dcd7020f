import { partFrom } from '../api/parts.ts';

/** A dialog whose code is loaded when the first one is opened. */
export const LazyDialog = partFrom(() => import('./dialog.tsx'), 'Dialog');
