import type { PublicContext } from '../context.ts';

interface Mail {
  to: string;
  subject: string;
  /** Paragraphs. */
  lines: string[];
}

/** Has it sent after the answer; whoever asked does not wait for a mail server. False where none is set up. */
export function sendMail(context: PublicContext, mail: Mail): boolean {
  const { smtpUrl: url, mailFrom: from } = context.config;
  if (url === undefined) return false;
  context.afterwards(() => {
    deliver(url, { from, to: mail.to, subject: mail.subject, text: `${mail.lines.join('\n\n')}\n` }).catch(
      (error: unknown) =>
        context.log.error(
          'A mail was not sent',
          { requestId: context.requestId, subject: mail.subject },
          error,
        ),
    );
  });
  return true;
}

async function deliver(
  url: string,
  message: { from: string; to: string; subject: string; text: string },
): Promise<void> {
  const { send } = await import('./smtp.ts');
  await send(url, message);
}
