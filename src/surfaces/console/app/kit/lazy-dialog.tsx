import { type ComponentProps, Suspense } from 'react';
import { partFrom } from '../api/parts.ts';
import type { Dialog } from './dialog.tsx';

const Loaded = partFrom(() => import('./dialog.tsx'), 'Dialog');

/** A dialog whose code is loaded when the first one is opened. */
export function LazyDialog(props: ComponentProps<typeof Dialog>) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}
