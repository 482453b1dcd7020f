// @module-tag long
// @module-tag chromium
import { expect, onTestFinished, test } from 'vitest';
import { seriousFindings } from './support/access.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { type Evals, executing } from './support/evals.ts';
import { givePassword, newSession } from './support/people.ts';
import type { TestService } from './support/service.ts';
import { startWidgetServer } from './targets/widgets.ts';

let service: TestService;
let evals: Evals;
executing((parts) => {
  ({ service, evals } = parts);
});

/** On a machine that is busy with other tests. */
const counter = 'counter';
const act = (action: object) => ({ kind: 'interact', toolName: counter, action });
const add = { role: { role: 'button', name: 'Add' }, nth: 0 };

test('a widget is rendered from the page of its tool, and seen again in the recording of a trial', async () => {
  const [target, browser] = await Promise.all([startWidgetServer(), startBrowser()]);
  onTestFinished(target.stop);
  const serverId = await evals.server({ url: target.url, name: 'widgets' });
  const call = { kind: 'toolCall', serverName: 'widgets', toolName: counter, arguments: { ship: 'Gannet' } };
  const steps = [call, act({ kind: 'wait', ms: 400 }), act({ kind: 'click', target: add })];
  const seen = { kind: 'assert', assertion: { kind: 'textVisible', toolName: counter, text: 'Gannet' } };
  const suiteId = await evals.suite({
    serverIds: [serverId],
    tests: [{ title: 'Counts', steps: [...steps, seen].map((step, nth) => ({ id: `s${nth}`, ...step })) }],
  });
  const runId = await evals.launch({ suiteId });
  const { userId } = await service.member('member');
  await givePassword(service, userId);
  const session = await newSession(service, userId);
  const { page, complaints } = await visit(browser, { baseUrl: service.origin, session });
  const at = `/console${evals.project}`;

  // From the page of the tool.
  await page.goto(`${at}/servers/${serverId}?tab=tools&item=look_up`);
  await page.getByRole('button', { name: 'Call tool' }).waitFor();
  expect(await page.getByRole('button', { name: 'Render widget' }).count()).toBe(0);
  await page.getByRole('link', { name: counter, exact: true }).click();
  await page.getByRole('textbox', { name: 'JSON', exact: true }).fill('{"ship":"Albatross"}');
  await page.getByRole('button', { name: 'Render widget' }).click();
  const widget = page.getByRole('group', { name: `Widget of ${counter}` });
  await widget.getByText('rendered', { exact: true }).waitFor({ timeout: 60_000 });
  const picture = widget.getByRole('img', { name: /as rendered$/ });
  await expect
    .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
    .toBe(1024);
  await widget.getByText('Accessibility tree').click();
  expect(await widget.getByLabel(/^accessibility tree/).textContent()).toContain('Albatross seaworthy');
  await widget.getByText('elements, step selectors').click();
  await widget.getByText('{"role":{"role":"button","name":"Add"},"nth":0}').waitFor();
  expect(await seriousFindings(page)).toEqual([]);

  // In a trial; its first address is over, as after some minutes.
  await evals.decided(runId);
  const [trial] = (await evals.read(runId, '/iterations')).items;
  const told = (await evals.read(runId, `/iterations/${trial.id}/steps`)).items[2].evidence;
  expect(told).toMatchObject({ action: 'click', locatorLabel: 'button "Add" number 0' });
  await page.route('**/api/v1/artifacts/*', (route) => route.fulfill({ status: 404 }), { times: 1 });
  await page.goto(`${at}/runs/${runId}/trials/${trial.id}`);
  const film = page.getByRole('img', { name: `Recording of widget ${counter}` });
  // How many different bytes are in a corner of it; an empty page has one or two.
  const drawn = () =>
    film.evaluate((canvas) => {
      const { getContext } = canvas as unknown as {
        getContext: (kind: '2d') => { getImageData: (...box: number[]) => { data: Iterable<number> } };
      };
      return new Set(getContext.call(canvas, '2d').getImageData(0, 0, 200, 200).data).size;
    });
  const click = page.getByRole('button', { name: /Click button "Add"/ });
  await click.click();
  const scrubber = page.getByRole('slider', { name: 'Playback position' });
  expect(Number(await scrubber.inputValue())).toBe(told.videoOffsetMs);
  expect(await click.getAttribute('aria-current')).toBe('step');
  await expect.poll(drawn).toBeGreaterThan(2);
  // Playing goes on to the last step; a span of the timeline goes back.
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const last = page.getByRole('button', { name: /See text "Gannet"/ });
  await expect.poll(() => last.getAttribute('aria-current')).toBe('step');
  await page.getByRole('button', { name: /^Widget of counter, step/ }).click();
  await expect.poll(async () => Number(await scrubber.inputValue())).toBeLessThan(told.videoOffsetMs);
  await page
    .getByRole('group', { name: `Widget of ${counter}` })
    .getByText('rendered', { exact: true })
    .waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
