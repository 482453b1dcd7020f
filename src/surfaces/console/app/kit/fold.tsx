import { type ReactNode, useState } from 'react';

/** A disclosure whose content is rendered when it is opened. */
export function Fold({
  summary,
  className,
  children,
}: {
  summary: ReactNode;
  className?: string | undefined;
  children: () => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  return (
    <details className={className} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
