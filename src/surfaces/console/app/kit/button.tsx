import type { ComponentProps } from 'react';
import css from './button.module.css';
import { classes } from './classes.ts';

/** The part of an action that a button or dialog needs. */
export interface Startable {
  isPending: boolean;
  mutate: () => void;
}

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Disabled while pending, without changing its size. */
  busy?: boolean | undefined;
  /** Runs on click; the button is busy while it is pending. */
  action?: Startable;
}

export function Button({
  variant = 'plain',
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
      className={classes(css.button, css[variant], className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {children}
    </button>
  );
}

/** Styles a link like a button. */
export const linkClass = classes(css.button, css.plain);

/** An icon button. `label` is its accessible name and tooltip. */
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
