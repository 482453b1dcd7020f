import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** The tests that can go on for ever, in their long form. */

const usage = `usage: npm run soak -- [--minutes N] [--only replicas|repeated|whole]

  --minutes N  10 if left out: replicas for N minutes, then repeated for about a fifth of that
  --only       replicas: three replicas and three workers behind HAProxy under load, while they are killed, frozen and
               restarted and the database is restarted; needs HAProxy (Debian: apt-get install haproxy)
               repeated: what other tests do a few times, many times; for N minutes when it is named
               whole: everything that npm test runs, and what it has no time for, once; only when it is named
`;

const parts = ['replicas', 'repeated', 'whole'] as const;
type Part = (typeof parts)[number];

interface Wanted {
  minutes: number;
  only: Part | undefined;
}

function wanted(): Wanted | undefined {
  try {
    const { values } = parseArgs({ options: { minutes: { type: 'string' }, only: { type: 'string' } } });
    const minutes = Number(values.minutes ?? 10);
    const only = parts.find((part) => part === values.only);
    return minutes > 0 && minutes <= 10_000 && only === values.only ? { minutes, only } : undefined;
  } catch {
    return undefined;
  }
}

const seed = String(Date.now() % 1_000_000);

function vitest(args: string[], env: Record<string, string>): boolean {
  const { status } = spawnSync('npx', ['vitest', 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env, DRYDOCK_TEST_SEED: seed },
  });
  return status === 0;
}

/** One file after the other: what they measure needs the machine. */
const alone = '--no-file-parallelism';

// About as much as a minute of two cores holds of each, one after the other.
const amounts = {
  DRYDOCK_TEST_FUZZ_RUNS: 20_000,
  DRYDOCK_TEST_KILL_ROUNDS: 4,
  DRYDOCK_TEST_LEASE_ROUNDS: 4,
  DRYDOCK_TEST_CRASH_TRIALS: 120,
  DRYDOCK_TEST_CRASH_KILLS: 12,
  DRYDOCK_TEST_CRASH_SESSIONS: 12,
};
const files = ['fuzz', 'kill', 'leases', 'eval-crash', 'chat-crash', 'journey-crash'].map(
  (name) => `test/${name}.test.ts`,
);

const run: Record<Part, (minutes: number) => boolean> = {
  replicas: (minutes) =>
    vitest([alone, 'test/replicas.test.ts'], { DRYDOCK_TEST_REPLICAS_MINUTES: String(minutes) }),
  repeated: (minutes) => {
    const env = Object.fromEntries(
      Object.entries(amounts).map(([name, perMinute]) => [
        name,
        String(Math.ceil((perMinute * minutes) / files.length)),
      ]),
    );
    return vitest([alone, ...files, '.soak.ts'], {
      ...env,
      DRYDOCK_TEST_SOAK: '1',
      DRYDOCK_TEST_FUZZ_SEED: seed,
    });
  },
  whole: () => vitest([], { DRYDOCK_TEST_SOAK: '1' }),
};

function soak({ minutes, only }: Wanted): number {
  const shares: Partial<Record<Part, number>> = only
    ? { [only]: minutes }
    : { replicas: minutes, repeated: minutes / 5 };
  const failed: string[] = [];
  for (const part of parts) {
    const share = shares[part];
    if (share === undefined) continue;
    const time = part === 'whole' ? 'once' : `for about ${Math.round(share * 10) / 10} minutes`;
    process.stdout.write(`\n${part}: ${time}, seed ${seed}\n`);
    if (!run[part](share)) failed.push(part);
  }
  process.stdout.write(failed.length > 0 ? `FAILED: ${failed.join(' and ')}` : 'PASSED');
  process.stdout.write(`, seed ${seed}\n`);
  return failed.length > 0 ? 1 : 0;
}

const given = wanted();
if (!given) process.stderr.write(usage);
process.exitCode = given ? soak(given) : 2;
