import { createTransport } from 'nodemailer';

/** Milliseconds. */
const patience = 20_000;

/** Loaded when the first mail is sent. One connection for each: there are few. */
export async function send(
  url: string,
  { to, ...message }: { from: string; to: string; subject: string; text: string },
): Promise<void> {
  const transport = createTransport({
    url,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    // Nothing of what is sent names a file or an address to read from, and nothing may.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // As one address, whatever stands in it: text would be read as a list.
    await transport.sendMail({ ...message, to: { name: '', address: to } });
  } finally {
    transport.close();
  }
}
