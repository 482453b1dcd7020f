import { Refusal } from '../../contract/errors.ts';
import type { PublicContext } from '../context/context.ts';

interface Mail {
  to: string;
  subject: string;
  /** Paragraphs. */
  lines: string[];
}

/**
 * Sends in the background, so that the response does not wait for the mail server. Returns false if no mail is set
 * up.
 */
export function sendMail(context: PublicContext, mail: Mail): boolean {
  const { smtpUrl: url, mailFrom: from } = context.config;
  if (url === undefined) return false;
  context.afterwards(() => {
    deliver(url, { from, to: mail.to, subject: mail.subject, text: `${mail.lines.join('\n\n')}\n` }).catch(
      (error: unknown) =>
        context.log.error(
          'Mail could not be sent',
          { requestId: context.requestId, subject: mail.subject },
          error,
        ),
    );
  });
  return true;
}

const publicUrlNeeded =
  'No mail is sent: it would hold a link, and DRYDOCK_PUBLIC_URL, which links begin with, is not set. The operator can set it and restart the service';

/**
 * Whether this installation can mail links. Requires the configured public URL: the host of a request could be
 * forged.
 */
export function mailsLinks({ config }: Pick<PublicContext, 'config'>): boolean {
  return config.smtpUrl !== undefined && config.publicUrl !== undefined;
}

/** As `mailsLinks`, but refuses if a mail server is configured without the public URL. */
export function requireLinkMail(context: Pick<PublicContext, 'config'>): boolean {
  if (context.config.smtpUrl !== undefined && !mailsLinks(context))
    throw new Refusal('FEATURE_NOT_SUPPORTED', publicUrlNeeded, { details: { reason: 'PUBLIC_URL_NEEDED' } });
  return mailsLinks(context);
}

/** Mails a link that the response shows too: if the public URL is missing, the error is returned beside the link. */
export function mailLink(context: PublicContext, mail: Mail): { mailed: boolean; mailError?: string } {
  if (mailsLinks(context)) return { mailed: sendMail(context, mail) };
  return { mailed: false, ...(context.config.smtpUrl !== undefined && { mailError: publicUrlNeeded }) };
}

async function deliver(
  url: string,
  message: { from: string; to: string; subject: string; text: string },
): Promise<void> {
  // Loads the library on first use.
  const { send } = await import('./smtp.ts');
  await send(url, message);
}
