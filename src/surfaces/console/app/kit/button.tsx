import type { ComponentProps } from 'react';
import css from './button.module.css';
import { classes } from './classes.ts';

/** The part of an action that a button or a dialog needs. */
export interface Startable {
  isPending: boolean;
  mutate: () => void;
}

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Disabled while pending, without changing its size. */
  busy?: boolean | undefined;
  /** Started by a press; the button is busy meanwhile. */
  action?: Startable;
}

export function Button({
  look = 'plain',
  action,
  busy = action?.isPending,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...(action && { onClick: () => action.mutate() })}
      {...rest}
      className={classes(css.button, css[look], className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {children}
    </button>
  );
}

/** For a link that stands among buttons. */
export const linkClass = classes(css.button, css.plain);

/** A button that is a picture; its name is read out and shown on hover. */
export function IconButton({
  label,
  className,
  children,
  ...rest
}: ComponentProps<'button'> & { label: string }) {
  return (
    <button type="button" {...rest} aria-label={label} title={label} className={classes(css.icon, className)}>
      {children}
    </button>
  );
}
