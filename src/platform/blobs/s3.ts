import { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { type BlobPart, type BlobStore, checkId, counted, type StoredBlob } from './store.ts';

/** Bytes held in memory per upload: the minimum part size of S3. */
const partSize = 5 * 1024 * 1024;

interface S3Place {
  bucket: string;
  /** The prefix of every key: empty, or ending in a slash. */
  prefix: string;
  region?: string | undefined;
  endpoint?: string | undefined;
}

/** Parses `s3://bucket/prefix?region=…&endpoint=…`. Missing values come from the usual settings of S3 clients. */
export function s3PlaceOf(url: string): S3Place {
  const { hostname, pathname, searchParams } = new URL(url);
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
  return {
    bucket: hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region: searchParams.get('region') ?? undefined,
    endpoint: searchParams.get('endpoint') ?? undefined,
  };
}

/** Stores blobs in any S3-compatible bucket, for replicas that share no folder. */
export class S3BlobStore implements BlobStore {
  private readonly place: S3Place;
  private loaded: Promise<S3Client> | undefined;

  constructor(place: S3Place) {
    this.place = place;
  }

  async put(id: string, content: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBlob> {
    const { Upload } = await import('@aws-sdk/lib-storage');
    const client = await this.client();
    const { bytes, result, failure } = counted(content, limit);
    // Uploads in parts, so that a large blob is never in memory as a whole. A failed upload leaves no object.
    const upload = new Upload({
      client,
      params: { ...this.named(id), Body: Readable.from(bytes, { objectMode: false }) },
      partSize,
      queueSize: 1,
    });
    try {
      await upload.done();
    } catch (error) {
      // The content's own error is the cause, whatever error the store reports.
      throw failure() ?? error;
    }
    return result();
  }

  read(id: string, part?: BlobPart): Readable {
    return Readable.from(this.bytesOf(id, part), { objectMode: false });
  }

  /** Also aborts unfinished uploads of processes that were killed. */
  async remove(id: string): Promise<void> {
    const { AbortMultipartUploadCommand, DeleteObjectCommand, ListMultipartUploadsCommand } = await import(
      '@aws-sdk/client-s3'
    );
    const client = await this.client();
    const object = this.named(id);
    await client.send(new DeleteObjectCommand(object));
    const { Uploads = [] } = await client
      .send(new ListMultipartUploadsCommand({ Bucket: object.Bucket, Prefix: object.Key }))
      .catch(unlessUnknown);
    for (const { Key, UploadId } of Uploads)
      if (Key === object.Key) await client.send(new AbortMultipartUploadCommand({ ...object, UploadId }));
  }

  private async *bytesOf(id: string, part: BlobPart | undefined): AsyncGenerator<Uint8Array> {
    const { GetObjectCommand } = await import('@aws-sdk/client-s3');
    const client = await this.client();
    const wanted = { ...this.named(id), ...(part && { Range: `bytes=${part.start}-${part.end}` }) };
    const { Body } = await client.send(new GetObjectCommand(wanted)).catch(asMissing);
    yield* Body as Readable;
  }

  private named(id: string): { Bucket: string; Key: string } {
    checkId(id);
    return { Bucket: this.place.bucket, Key: `${this.place.prefix}${id}` };
  }

  /** Loaded on first use: the library is large, and most installations use a folder. */
  private client(): Promise<S3Client> {
    this.loaded ??= import('@aws-sdk/client-s3').then(({ S3Client }) => new S3Client(optionsOf(this.place)));
    return this.loaded;
  }
}

/** Reports a missing object like a missing file. */
function asMissing(error: Error): never {
  throw error.name === 'NoSuchKey'
    ? Object.assign(new Error(`ENOENT: ${error.message}`), { code: 'ENOENT' })
    : error;
}

/** Not every store can list unfinished uploads; those expire them after some days. */
function unlessUnknown(error: Error): { Uploads?: undefined } {
  if (/^(?:NotImplemented|MethodNotAllowed)$/.test(error.name)) return {};
  throw error;
}

function optionsOf({ region, endpoint }: S3Place): S3ClientConfig {
  return {
    ...(region !== undefined && { region }),
    // Stores other than Amazon's seldom support one host name per bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Some stores do not support the SDK's checksums. The database has a SHA-256 of each blob.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}
