import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { findChromium } from '../../src/browser/chromium.ts';
import { startWidgetServer } from '../../test/targets/widgets.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { stopAll } from '../support/processes.ts';
import { type Service, serve } from './service.ts';

const rounds = 9;
const rendersPerRound = 6;
/** Milliseconds. */
const rest = 300;
const viewport = { width: 1024, height: 768 };

/** A widget rendered by the service beside its HTML in a browser of `playwright-core`, looked at in the same way. */
export async function compareWidgets(dataDir: string): Promise<void> {
  const target = await startWidgetServer();
  const service = await serve(dataDir, 0);
  const { id: serverId } = await service.api.createProjectServer({
    projectId: service.projectId,
    body: { name: `widgets ${Date.now()}`, url: target.url },
  });
  const html = await htmlOf(service, serverId);
  const web = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const browser = await chromium.launch({
    executablePath: process.env['DRYDOCK_BROWSER'] ?? findChromium() ?? '/usr/bin/chromium',
    chromiumSandbox: process.getuid?.() !== 0,
  });
  try {
    const ours = () => render(service, serverId);
    const plain = async (): Promise<number> => {
      const began = performance.now();
      const context = await browser.newContext({ viewport });
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByRole('heading', { name: 'Ships' }).waitFor();
      await page.screenshot();
      await page.locator('body').ariaSnapshot();
      await context.close();
      return performance.now() - began;
    };
    for (let n = 0; n < 3; n++) {
      await ours();
      await plain();
    }
    const times: Record<'ours' | 'plain', number[]> = { ours: [], plain: [] };
    for (let round = 1; round <= rounds; round++) {
      const inRound: typeof times = { ours: [], plain: [] };
      for (let n = 0; n < rendersPerRound; n++) {
        // A pause, so that cleanup of one does not slow down the other.
        await delay(rest);
        inRound.ours.push(await ours());
        await delay(rest);
        inRound.plain.push(await plain());
      }
      times.ours.push(figure(inRound.ours).median);
      times.plain.push(figure(inRound.plain).median);
      process.stderr.write(`\rWidgets: round ${round} of ${rounds} `);
    }
    process.stderr.write('\r');
    console.log(`\nA widget rendered: medians of ${rendersPerRound}, ${rounds} rounds in turns`);
    console.log(
      table([
        ['', ''],
        [
          'tool called, resource read, rendered, looked at / its HTML loaded and looked at',
          show(ratios(times.ours, times.plain)),
        ],
      ]),
    );
  } finally {
    await browser.close();
    web.close();
    await target.stop();
    await stopAll();
  }
}

async function render({ api, projectId }: Service, serverId: string): Promise<number> {
  const began = performance.now();
  const { status, problem } = await api.renderServerWidget({
    projectId,
    serverId,
    body: { toolName: 'counter', parameters: { ship: 'Albatross' }, viewport },
  });
  if (status !== 'rendered') throw new Error(`${status}: ${problem}`);
  return performance.now() - began;
}

async function htmlOf({ api, projectId }: Service, serverId: string): Promise<string> {
  const read = await api.readResource({ projectId, serverId, body: { uri: 'ui://fixture/counter' } });
  const [content] = (read as { contents?: { text?: string }[] }).contents ?? [];
  if (content?.text === undefined) throw new Error('The server has no widget');
  return content.text;
}
