import { type ComponentProps, lazy, Suspense } from 'react';
import type { Dialog } from './dialog.tsx';

const Loaded = lazy(async () => ({ default: (await import('./dialog.tsx')).Dialog }));

/** A dialog whose code is loaded when the first one is opened. */
export function LazyDialog(props: ComponentProps<typeof Dialog>) {
  return (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
}
