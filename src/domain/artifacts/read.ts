import { Refusal } from '../../contract/errors.ts';
import type { SentFile } from '../../contract/operation.ts';
import * as blobRows from '../../platform/database/queries/blobs.ts';
import { invalid } from '../base/refusals.ts';
import type { Context, Services } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';

/** Lifetime of a signed URL in milliseconds: long enough to view the file, too short to share. */
const urlLifetime = 15 * 60_000;

export const getArtifact: Verb<'getArtifact'> = async (context, { artifactToken, headers }) => {
  const { artifacts, blobs, clock, db } = context;
  const id = artifacts.read(artifactToken, clock());
  const blob = id === undefined ? undefined : await db.row(blobRows.findSigned, { id });
  if (!blob) throw new Refusal('NOT_FOUND', 'No such artifact, or its URL has expired. Request another one');
  const { contentType, size } = blob;
  const part = partOf(headers.range, size);
  return { contentType, size, ...(part && { part }), acceptsRanges: true, bytes: blobs.read(blob.id, part) };
};

/**
 * A signed URL that works without credentials until it expires. The caller of this function must have checked access.
 */
export function artifactUrl(
  { artifacts, clock, origin }: Pick<Services, 'artifacts' | 'clock'> & Pick<Context, 'origin'>,
  blobId: string,
): string {
  return `${origin()}/api/v1/artifacts/${artifacts.make(blobId, clock() + urlLifetime)}`;
}

/**
 * First and last byte of a `Range` header. As in HTTP, a header in another format is ignored; a range outside the file
 * is refused.
 */
function partOf(range: string | undefined, size: number): SentFile['part'] {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) throw invalid(`range: The artifact has only ${size} bytes`);
  return { start, end };
}
