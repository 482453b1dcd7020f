import type { ReactNode } from 'react';
import { Button } from '../../kit/button.tsx';
import { Code } from '../../kit/code.tsx';
import { LazyDialog } from '../../kit/lazy-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import css from './organization.module.css';

/** What is shown this once: it closes when somebody says so, not by a slip beside it. */
export function Once({
  title,
  value,
  label,
  children,
  onClose,
}: {
  title: string;
  value: string;
  /** What it is, for its copy button. */
  label: string;
  children: ReactNode;
  onClose: () => void;
}) {
  return (
    <LazyDialog onClose={onClose} title={title} wide firm>
      <div className={css.once}>
        <Code text={value} label={label} />
        {children}
        <footer className={css.foot}>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </div>
    </LazyDialog>
  );
}

/** A link that opens something once, to be handed on. */
export function LinkOnce({
  title,
  link,
  email,
  onClose,
}: {
  title: string;
  link: {
    url: string;
    mailed: boolean;
    mailError?: string | undefined;
    expiresAt: number;
    identities?: { issuer: string }[];
    warning?: string | undefined;
  };
  email: string;
  onClose: () => void;
}) {
  return (
    <Once title={title} value={link.url} label="link" onClose={onClose}>
      <p>
        {link.mailed
          ? `It is on its way to ${email}. You can hand it on yourself too`
          : `Send it to ${email}`}
        : it works once, until <Time at={link.expiresAt} />, and is not shown again.
      </p>
      {link.mailError !== undefined && <Note>{link.mailError}</Note>}
      {link.warning !== undefined && <Note>{link.warning}</Note>}
      <Note>Whoever has the link can use it. Send it to that person alone.</Note>
      {link.identities && link.identities.length > 0 && (
        <Note>
          A new password ends every session. The account goes on being opened by{' '}
          {link.identities.map(({ issuer }) => issuer).join(', ')}: if it was taken over, have it unlinked on
          the account page. API keys go on working too.
        </Note>
      )}
    </Once>
  );
}
