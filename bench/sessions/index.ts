import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from '../support/processes.ts';
import { compareTurns, manySessions } from './turns.ts';
import { compareWidgets } from './widgets.ts';

/** Compares a chat session with the bare model call, and with the bare page. */
const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);
try {
  await compareTurns(dataDir);
  await manySessions(dataDir);
  await compareWidgets(dataDir);
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}
