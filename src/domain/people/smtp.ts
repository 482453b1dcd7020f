import { createTransport } from 'nodemailer';

/** Milliseconds to connect, to be greeted, and without data. */
const timeout = 20_000;

/** Uses one connection per email, since emails are rare. */
export async function send(
  url: string,
  { to, ...message }: { from: string; to: string; subject: string; text: string },
): Promise<void> {
  const transport = createTransport({
    url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    // Forbids attachments from files and URLs; mails here use neither.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // Passed as an object: a string would be parsed as a list of addresses.
    await transport.sendMail({ ...message, to: { name: '', address: to } });
  } finally {
    transport.close();
  }
}
