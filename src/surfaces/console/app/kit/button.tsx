import type { ComponentProps } from 'react';
import css from './button.module.css';
import { classes } from './classes.ts';

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Under way: it stays where it is and cannot be pressed again. */
  busy?: boolean | undefined;
}

export function Button({ look = 'plain', busy, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
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
