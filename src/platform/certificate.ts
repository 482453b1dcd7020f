import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { isIP } from 'node:net';
import type { Config } from './config/settings.ts';
import type { Log } from './log.ts';
import { OperatorProblem } from './problem.ts';

/** Certificate and key for a TLS server. */
export interface KeyPair {
  cert: Buffer;
  key: Buffer;
  minVersion: 'TLSv1.2';
}

type Settings = Pick<Config, 'tlsCert' | 'tlsKey' | 'publicUrl' | 'host'>;

/**
 * Milliseconds between two checks of the files. Polling: renewals replace symbolic links, for which the system sends no
 * file events.
 */
const pollInterval = 1_000;

/** The TLS certificate and key of the service, reloaded when the files are renewed. */
export class Certificate {
  private readonly certFile: string;
  private readonly keyFile: string;
  private readonly log: Log;
  pair: KeyPair;

  private constructor(certFile: string, keyFile: string, log: Log) {
    this.certFile = certFile;
    this.keyFile = keyFile;
    this.log = log;
    this.pair = readPair(certFile, keyFile);
  }

  /** Undefined if none is configured. */
  static open(config: Settings, log: Log): Certificate | undefined {
    const { tlsCert, tlsKey, publicUrl } = config;
    if (tlsCert === undefined && tlsKey === undefined) return undefined;
    if (tlsCert === undefined || tlsKey === undefined)
      throw new OperatorProblem('Set both DRYDOCK_TLS_CERT and DRYDOCK_TLS_KEY, or neither');
    if (publicUrl?.startsWith('http:'))
      throw new OperatorProblem(
        'DRYDOCK_PUBLIC_URL starts with http://, but DRYDOCK_TLS_CERT enables HTTPS. Use https://',
      );
    const certificate = new Certificate(tlsCert, tlsKey, log);
    for (const warning of certificate.doubts(config)) log.warn(warning);
    return certificate;
  }

  /** Calls `apply` with each new pair. An invalid pair is ignored. */
  watch(apply: (pair: KeyPair) => void): void {
    const reload = (): void => {
      try {
        const pair = readPair(this.certFile, this.keyFile);
        if (pair.cert.equals(this.pair.cert) && pair.key.equals(this.pair.key)) return;
        apply(pair);
        this.pair = pair;
        this.log.info('TLS certificate reloaded', { validTo: new X509Certificate(pair.cert).validTo });
      } catch (error) {
        // Expected while a renewal has replaced only one of the two files.
        this.log.warn('TLS certificate could not be reloaded', { reason: (error as Error).message });
      }
    };
    for (const file of [this.certFile, this.keyFile])
      watchFile(file, { interval: pollInterval, persistent: false }, reload);
  }

  close(): void {
    for (const file of [this.certFile, this.keyFile]) unwatchFile(file);
  }

  private *doubts({ publicUrl, host }: Settings): Generator<string> {
    const { mode } = statSync(this.keyFile);
    if ((mode & 0o004) !== 0)
      yield `Everybody on this machine can read ${this.keyFile} (DRYDOCK_TLS_KEY). Close it: chmod o-r`;
    const found = new X509Certificate(this.pair.cert);
    if (Date.parse(found.validTo) < Date.now())
      yield `The certificate in DRYDOCK_TLS_CERT ended on ${found.validTo}; clients will refuse it`;
    const name = (publicUrl === undefined ? host : new URL(publicUrl).hostname).replaceAll(/[[\]]/g, '');
    const anywhere = name === '0.0.0.0' || name === '::';
    const fits = isIP(name) === 0 ? found.checkHost(name) : found.checkIP(name);
    if (!anywhere && fits === undefined)
      yield `The certificate in DRYDOCK_TLS_CERT is not for ${name}. Set DRYDOCK_PUBLIC_URL to the name it is for`;
  }
}

function readPair(certFile: string, keyFile: string): KeyPair {
  const cert = contentOf(certFile, 'DRYDOCK_TLS_CERT');
  const key = contentOf(keyFile, 'DRYDOCK_TLS_KEY');
  const found = parsed(() => new X509Certificate(cert), certFile, 'DRYDOCK_TLS_CERT', 'a certificate');
  const secret = parsed(
    () => createPrivateKey(key),
    keyFile,
    'DRYDOCK_TLS_KEY',
    'a private key without a password',
  );
  if (!found.checkPrivateKey(secret))
    throw new OperatorProblem(
      `The key in ${keyFile} (DRYDOCK_TLS_KEY) does not belong to the first certificate in ${certFile} (DRYDOCK_TLS_CERT)`,
    );
  return { cert, key, minVersion: 'TLSv1.2' };
}

function contentOf(path: string, variable: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OperatorProblem(
      `Cannot read ${path} (${variable}): ${(error as Error).message}. Check the path and its permissions`,
    );
  }
}

/** Parses a file. The message leaves out the library's error, which may quote the key. */
function parsed<T>(parse: () => T, path: string, variable: string, what: string): T {
  try {
    return parse();
  } catch {
    throw new OperatorProblem(`${path} (${variable}) is not a PEM file with ${what}`);
  }
}
