import { spawnSync } from 'node:child_process';

/** The tests that can go on for ever, in their long form: npm run soak -- [MINUTES, 10 if left out]. */

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) {
  process.stderr.write('usage: npm run soak -- [MINUTES]\n');
  process.exit(2);
}

// About as much as a minute of two cores holds of each, one after the other.
const amounts = {
  DRYDOCK_TEST_FUZZ_RUNS: 20_000,
  DRYDOCK_TEST_KILL_ROUNDS: 4,
  DRYDOCK_TEST_LEASE_ROUNDS: 4,
  DRYDOCK_TEST_CRASH_TRIALS: 120,
  DRYDOCK_TEST_CRASH_KILLS: 12,
  DRYDOCK_TEST_CRASH_SESSIONS: 12,
};
const repeated = ['fuzz', 'kill', 'leases', 'eval-crash', 'chat-crash', 'journey-crash'].map(
  (name) => `test/${name}.test.ts`,
);
const env = Object.fromEntries(
  Object.entries(amounts).map(([name, perMinute]) => [
    name,
    String(Math.ceil((perMinute * minutes) / repeated.length)),
  ]),
);
const seed = String(Date.now() % 1_000_000);
const { status } = spawnSync('npx', ['vitest', 'run', '--no-file-parallelism', ...repeated, '.soak.ts'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...env,
    DRYDOCK_TEST_SOAK: '1',
    DRYDOCK_TEST_FUZZ_SEED: seed,
    DRYDOCK_TEST_SEED: seed,
  },
});
process.stdout.write(`Seed ${seed}.\n`);
process.exitCode = status ?? 1;
