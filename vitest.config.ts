import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { programTags } from './test/support/programs.ts';

/** `npm run soak` also runs the files that nothing else has time for. */
const soak = process.env['DRYDOCK_TEST_SOAK'] === '1';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', ...(soak ? ['test/**/*.soak.ts'] : [])],
    // `npm test` runs the tests without the tag `long`, `npm run test:all` those with it.
    tags: [{ name: 'long', description: 'takes long, or shows a rare case' }, ...programTags],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    // Machines that are shared may be slow for minutes; what hangs fails all the same.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // Many files wait for processes they started, so more run at once than there are cores.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Files share the modules they load: loading them anew for each took a third of the processor time.
    isolate: false,
    // Settings of the shell must not reach the services under test.
    env: {
      DRYDOCK_CONFIG_FILE: '',
      ANTHROPIC_API_KEY: '',
      OPENAI_API_KEY: '',
      GEMINI_API_KEY: '',
      OTEL_SDK_DISABLED: 'true',
    },
  },
});
