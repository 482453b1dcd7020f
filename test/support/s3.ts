import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { sha256, signatureError } from './s3-signature.ts';

export { bucketCredentials } from './s3-signature.ts';

export interface TestBucket {
  /** As `DRYDOCK_BLOBS_URL` takes it. */
  url: string;
  stop(): Promise<void>;
}

const statuses = {
  AccessDenied: 403,
  BucketAlreadyOwnedByYou: 409,
  InvalidAccessKeyId: 403,
  InvalidPart: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;

class S3Error extends Error {
  readonly code: keyof typeof statuses;

  constructor(code: keyof typeof statuses) {
    super(code);
    this.code = code;
  }
}

interface Upload {
  key: string;
  /** Files of the parts, by number. */
  parts: Map<number, { etag: string; file: string }>;
}

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  /** Bucket and key, as in the path. */
  name: string;
  query: URLSearchParams;
  body: Buffer;
}

interface Options {
  /** Some stores do not list unfinished uploads. */
  listsUploads?: boolean;
}

/**
 * A store on loopback that speaks S3 as far as the service does: signed requests, objects whole and in parts, ranges. It
 * has one bucket, `blobs`, and keeps objects in files, since a soak test stores many.
 */
export async function startBucket({ listsUploads = true }: Options = {}): Promise<TestBucket> {
  const store = new Store(await mkdtemp(join(tmpdir(), 'drydock-s3-')), listsUploads);
  const server = createServer((request, response) => void store.answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint = encodeURIComponent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    url: `s3://blobs/some/place?region=us-east-1&endpoint=${endpoint}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await rm(store.folder, { recursive: true, force: true });
    },
  };
}

class Store {
  readonly folder: string;
  private readonly listsUploads: boolean;
  private readonly buckets = new Set(['blobs']);
  /** Files by bucket and key. */
  private readonly objects = new Map<string, string>();
  private readonly uploads = new Map<string, Upload>();

  constructor(folder: string, listsUploads: boolean) {
    this.folder = folder;
    this.listsUploads = listsUploads;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await buffer(request);
      const refused = signatureError(request) as keyof typeof statuses | undefined;
      if (refused) throw new S3Error(refused);
      const declared = request.headers['x-amz-content-sha256'];
      if (declared !== 'UNSIGNED-PAYLOAD' && declared !== sha256(body))
        throw new S3Error('XAmzContentSHA256Mismatch');
      const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://store');
      const name = decodeURIComponent(pathname).replace(/^\/|\/$/g, '');
      const call = { request, response, name, query, body };
      await (name.includes('/') ? this.onObject(call) : this.onBucket(call));
    } catch (error) {
      if (response.headersSent || !(error instanceof S3Error)) return void response.destroy();
      const { code } = error;
      send(response, statuses[code], `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    }
  }

  private async onBucket({ request, response, name, query }: Call): Promise<void> {
    if (request.method === 'PUT') {
      if (this.buckets.has(name)) throw new S3Error('BucketAlreadyOwnedByYou');
      this.buckets.add(name);
      return send(response, 200);
    }
    if (!this.buckets.has(name)) throw new S3Error('NoSuchBucket');
    if (request.method === 'HEAD') return send(response, 200);
    if (request.method !== 'GET' || !query.has('uploads') || !this.listsUploads)
      throw new S3Error('NotImplemented');
    const prefix = `${name}/${query.get('prefix') ?? ''}`;
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix));
    const listed = found.map(
      ([id, { key }]) =>
        `<Upload><Key>${key.slice(name.length + 1)}</Key><UploadId>${id}</UploadId></Upload>`,
    );
    send(response, 200, `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`);
  }

  private async onObject(call: Call): Promise<void> {
    const { request, response, name, query, body } = call;
    if (!this.buckets.has(name.slice(0, name.indexOf('/')))) throw new S3Error('NoSuchBucket');
    const uploadId = query.get('uploadId');
    if (request.method === 'POST' && query.has('uploads')) {
      const id = randomUUID();
      this.uploads.set(id, { key: name, parts: new Map() });
      return send(
        response,
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (uploadId !== null) return this.onUpload(call, uploadId);
    if (request.method === 'PUT') {
      const { etag, file } = await this.write(body);
      await this.replace(name, file);
      return send(response, 200, '', { etag });
    }
    if (request.method === 'DELETE') {
      await this.replace(name);
      return send(response, 204);
    }
    if (request.method !== 'GET') throw new S3Error('NotImplemented');
    await this.read(name, request.headers.range, response);
  }

  private async onUpload({ request, response, name, query, body }: Call, id: string): Promise<void> {
    const upload = this.uploads.get(id);
    if (upload?.key !== name) throw new S3Error('NoSuchUpload');
    if (request.method === 'PUT') {
      const part = await this.write(body);
      upload.parts.set(Number(query.get('partNumber')), part);
      return send(response, 200, '', { etag: part.etag });
    }
    this.uploads.delete(id);
    if (request.method === 'POST') {
      const file = await this.join(upload, body.toString());
      await this.replace(name, file);
    }
    for (const { file } of upload.parts.values()) await rm(file);
    if (request.method === 'DELETE') return send(response, 204);
    send(
      response,
      200,
      '<CompleteMultipartUploadResult><ETag>"joined"</ETag></CompleteMultipartUploadResult>',
    );
  }

  /** The parts in the order that the request lists them, each of which must be as it was stored. */
  private async join({ parts }: Upload, listed: string): Promise<string> {
    const { file } = await this.write(Buffer.alloc(0));
    for (const [part] of listed.matchAll(/<Part>.*?<\/Part>/gs)) {
      const number = Number(/<PartNumber>(\d+)</.exec(part)?.[1]);
      const etag = /<ETag>(.+?)</.exec(part)?.[1]?.replaceAll('&quot;', '"');
      const stored = parts.get(number);
      if (stored === undefined || stored.etag !== etag) throw new S3Error('InvalidPart');
      await appendFile(file, await readFile(stored.file));
    }
    return file;
  }

  private async read(name: string, range: string | undefined, response: ServerResponse): Promise<void> {
    const file = this.objects.get(name);
    if (file === undefined) throw new S3Error('NoSuchKey');
    const { size } = await stat(file);
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const part =
      start === undefined ? undefined : { start: Number(start), end: Math.min(Number(end), size - 1) };
    response.writeHead(part ? 206 : 200, {
      'content-length': part ? part.end - part.start + 1 : size,
      ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${size}` }),
    });
    await pipeline(createReadStream(file, part), response);
  }

  private async write(content: Buffer): Promise<{ etag: string; file: string }> {
    const file = join(this.folder, randomUUID());
    await writeFile(file, content);
    return { etag: `"${createHash('md5').update(content).digest('hex')}"`, file };
  }

  private async replace(name: string, file?: string): Promise<void> {
    const before = this.objects.get(name);
    if (file === undefined) this.objects.delete(name);
    else this.objects.set(name, file);
    if (before !== undefined) await rm(before);
  }
}

function send(
  response: ServerResponse,
  status: number,
  body = '',
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/xml',
    ...(status !== 204 && { 'content-length': Buffer.byteLength(body) }),
    ...headers,
  });
  response.end(body);
}
