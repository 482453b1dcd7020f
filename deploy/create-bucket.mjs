// Makes the bucket that DRYDOCK_BLOBS_URL names, unless it is there, and waits for a store that is still starting.
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const attempts = 30;

const { hostname: bucket, searchParams } = new URL(process.env.DRYDOCK_BLOBS_URL ?? '');
const region = searchParams.get('region') ?? undefined;
const endpoint = searchParams.get('endpoint') ?? undefined;
const client = new S3Client({ region, endpoint, forcePathStyle: endpoint !== undefined, maxAttempts: 1 });

/** Whether it was there. */
async function ensureBucket() {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
    return true;
  } catch (error) {
    if (error.$metadata?.httpStatusCode !== 404) throw error;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    return false;
  }
}

for (let attempt = 1; ; attempt++) {
  try {
    console.log(`The bucket ${bucket} ${(await ensureBucket()) ? 'is there' : 'was made'}.`);
    break;
  } catch (error) {
    // One that answers has decided; only silence is waited out.
    if (error.$metadata?.httpStatusCode !== undefined || attempt === attempts) throw error;
    await delay(1000);
  }
}
