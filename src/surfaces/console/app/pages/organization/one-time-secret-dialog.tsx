import type { ReactNode } from 'react';
import { Button } from '../../kit/button.tsx';
import { Code } from '../../kit/code.tsx';
import { LazyDialog } from '../../kit/dialog-button.tsx';
import { Note } from '../../kit/notice.tsx';
import { Time } from '../../kit/time.tsx';
import css from './organization.module.css';

/** Shows a secret once; a click outside does not close it. */
export function OneTimeSecretDialog({
  title,
  value,
  label,
  children,
  onClose,
}: {
  title: string;
  value: string;
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
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </div>
    </LazyDialog>
  );
}

/** A one-time link to share. */
export function OneTimeLinkDialog({
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
    <OneTimeSecretDialog title={title} value={link.url} label="link" onClose={onClose}>
      <p>
        {link.mailed
          ? `We have sent it to ${email}. You can also share it yourself.`
          : `Send it to ${email}.`}{' '}
        It works once, expires <Time at={link.expiresAt} />, and is not shown again.
      </p>
      {link.mailError !== undefined && <Note>{link.mailError}</Note>}
      {link.warning !== undefined && <Note>{link.warning}</Note>}
      <Note>Anyone with this link can use it. Send it only to {email}.</Note>
      {link.identities && link.identities.length > 0 && (
        <Note>
          Setting a new password ends all sessions. The account can still be opened by{' '}
          {link.identities.map(({ issuer }) => issuer).join(', ')}: if the account was compromised, unlink it
          on the account page. API keys also keep working.
        </Note>
      )}
    </OneTimeSecretDialog>
  );
}
