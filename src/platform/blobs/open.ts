import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/settings.ts';
import { CountedFailures } from './counted-failures.ts';
import { FileBlobStore } from './files.ts';
import { S3BlobStore, s3PlaceOf } from './s3.ts';
import type { BlobStore } from './store.ts';

/** Opens the configured store: a folder or an S3 bucket. */
export function openBlobs(config: Pick<Config, 'blobsUrl' | 'dataDir'>): BlobStore {
  return new CountedFailures(storeAt(config));
}

function storeAt({ blobsUrl, dataDir }: Pick<Config, 'blobsUrl' | 'dataDir'>): BlobStore {
  if (blobsUrl === undefined) return new FileBlobStore(join(dataDir, 'blobs'));
  if (blobsUrl.startsWith('s3:')) return new S3BlobStore(s3PlaceOf(blobsUrl));
  return new FileBlobStore(fileURLToPath(blobsUrl));
}
