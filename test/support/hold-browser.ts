import { BrowserEngine } from '../../src/browser/engine.ts';
import { createLog } from '../../src/platform/log.ts';

/** A process that has a browser session open, says which browser, and waits to be killed. */
const engine = new BrowserEngine({
  browser: process.env['DRYDOCK_TEST_CHROMIUM'],
  sessions: 1,
  policy: async () => ({ local: true, networks: [] }),
  log: createLog('silent'),
});
await engine.open({ policy: { mode: 'allow_all' }, record: true });
process.stdout.write(`${JSON.stringify(engine.pids)}\n`);
setInterval(() => {}, 1_000);
