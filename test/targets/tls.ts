import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answerLegacy } from './legacy.ts';
import { asTarget, listen, readRpc, type Target } from './listen.ts';

export interface SelfSigned extends Target {
  url: string;
  /** For whoever is to trust it. */
  certificate: string;
}

/** A well-behaved legacy server behind a certificate that nobody knows. Needs `openssl` on the path. */
export async function startSelfSigned(): Promise<SelfSigned> {
  const { key, certificate } = await makeCertificate();
  const server = createServer({ key, cert: certificate });
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    answerLegacy({ request, response, rpc, path: request.url ?? '/', origin: '' });
  }, server);
  return asTarget({ url: `https://127.0.0.1:${port}/mcp`, certificate }, stop);
}

/** For this machine, under its own names and these. */
export async function makeCertificate(...names: string[]): Promise<{ key: string; certificate: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-tls-'));
  try {
    const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', keyFile, '-out', certificateFile, '-days', '2', '-subj', '/CN=localhost'],
      ...[
        '-addext',
        ['subjectAltName=IP:127.0.0.1,DNS:localhost', ...names.map((name) => `DNS:${name}`)].join(','),
      ],
    ]);
    const [key, certificate] = await Promise.all([
      readFile(keyFile, 'utf8'),
      readFile(certificateFile, 'utf8'),
    ]);
    return { key, certificate };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
