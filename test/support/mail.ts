import { freePort } from './free-port.ts';

/** Settings of a service that mails links: these begin with its public URL, so the port is chosen before. */
export async function mailSettings(smtpUrl: string): Promise<Record<string, string>> {
  const port = await freePort();
  return {
    DRYDOCK_SMTP_URL: smtpUrl,
    DRYDOCK_PORT: String(port),
    DRYDOCK_PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
}
