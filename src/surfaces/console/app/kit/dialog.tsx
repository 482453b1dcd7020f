import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import css from './dialog.module.css';
import { CloseIcon } from './icons.tsx';
import { plain } from './text.ts';

export function Dialog({
  onClose,
  title,
  children,
  wide = false,
  side = false,
  firm = false,
}: {
  onClose: () => void;
  title: string;
  children: ReactNode;
  wide?: boolean;
  /** A full-height panel at the right edge, for large content. */
  side?: boolean;
  /** A click outside does not close it, for content that is shown only once. */
  firm?: boolean;
}) {
  const popup = useRef<HTMLDivElement>(null);
  /** Initial focus: the first form field, or the default if there is none. */
  const firstField = (): HTMLElement | true =>
    popup.current?.querySelector<HTMLElement>('form :is(input, select, textarea)') ?? true;
  return (
    <Base.Root open disablePointerDismissal={firm} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        <Base.Backdrop className={css.veil} />
        <Base.Popup
          ref={popup}
          className={classes(css.popup, wide && css.wide, side && css.side)}
          initialFocus={firstField}
        >
          <header className={css.head}>
            <Base.Title>{plain(title)}</Base.Title>
            <Base.Close render={<IconButton label="Close" className={css.close} />}>
              <CloseIcon />
            </Base.Close>
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
