import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from '../support/processes.ts';
import { compareAnalyses } from './analyses.ts';
import { compareVisits } from './visits.ts';

/** Compares requests of a visitor with those of an API key, and measures how the analysis scales. */
const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
try {
  await compareVisits(dataDir);
  await compareAnalyses();
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}
