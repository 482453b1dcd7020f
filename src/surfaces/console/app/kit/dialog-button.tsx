import { type ReactNode, useState } from 'react';
import { partFrom } from '../api/parts.ts';
import { Button, type ButtonProps } from './button.tsx';

/** A dialog whose code is loaded on first use. */
export const LazyDialog = partFrom(() => import('./dialog.tsx'), 'Dialog');

/** A button that opens a dialog. */
export function DialogButton({
  renderDialog,
  ...button
}: Omit<ButtonProps, 'action' | 'onClick'> & { renderDialog: (close: () => void) => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {open && renderDialog(() => setOpen(false))}
    </>
  );
}
