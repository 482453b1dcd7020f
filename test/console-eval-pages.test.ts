// @module-tag chromium
import { expect, test } from 'vitest';
import { startBrowser, visit } from './support/chromium.ts';
import { startConsole } from './support/console.ts';

test('a suite is run, its failing case is found, mended and run again, and both runs are compared', async () => {
  const [service, browser] = await Promise.all([startConsole(), startBrowser()]);
  const { api, projectId } = service;
  const [suite] = (await api.listEvalSuites({ projectId })).items;
  const suiteId = suite?.id as string;
  const { page, complaints } = await visit(browser, service);
  const named = (title: string) => page.getByRole('link', { name: title });

  // Run it from its page, with three trials of each case, and watch it finish.
  await page.goto('/console/');
  await page.getByRole('link', { name: 'Suites', exact: true }).click();
  await page.getByRole('heading', { name: 'Suites', exact: true }).waitFor();
  await named('demo').click();
  await page.getByText('calls inspect_hull with ship Albatross').waitFor();
  await page.getByRole('button', { name: 'Run suite' }).click();
  await page.getByLabel('Trials per case').selectOption('3');
  await page.getByText('18 trials of 6 cases').waitFor();
  await page.getByText('No cost').waitFor();
  await page.getByRole('button', { name: 'Start run' }).click();
  await page.getByRole('heading', { name: 'demo #2' }).waitFor();
  await page.getByText('Failed: 1 of 6 cases did not pass.').waitFor({ timeout: 60_000 });
  const secondRun = /runs\/(run_\w+)/.exec(page.url())?.[1] as string;
  expect((await api.getEvalRun({ projectId, runId: secondRun })).progress).toMatchObject({ trials: 18 });

  // The trace of the failure leads to the case.
  await named('Finds the ship on the second page, trial 1').first().click();
  await page.getByText('The answer does not contain "Dunlin"').first().waitFor();
  await named('Open case').click();
  const panel = page.getByRole('dialog', { name: 'Finds the ship on the second page' });
  const needle = panel.getByRole('textbox', { name: 'needle', exact: true });
  await needle.fill('');
  await panel.getByText('Required').first().waitFor();
  expect(await panel.getByRole('button', { name: 'Save case' }).isDisabled()).toBe(true);
  await needle.fill('Albatross');
  // The fields and the JSON beside them update each other.
  const json = panel.getByRole('textbox', { name: 'JSON', exact: true });
  const typed = JSON.parse(await json.inputValue()) as { steps: { assertion?: { needle?: string } }[] };
  expect(typed.steps[1]?.assertion?.needle).toBe('Albatross');
  await json.fill(JSON.stringify({ ...typed, title: 'Finds a ship' }));
  expect(await panel.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Finds a ship');
  await panel.getByRole('button', { name: 'Save and run once' }).click();
  const tried = page.getByRole('dialog', { name: 'Finds a ship' });
  await tried.getByLabel('Result').getByText('passed').waitFor({ timeout: 60_000 });
  const cases = (await api.listEvalCases({ projectId, suiteId })).items;
  const mended = cases.find(({ title }) => title === 'Finds a ship');
  expect(mended?.steps[1]).toMatchObject({ assertion: { type: 'responseContains', needle: 'Albatross' } });

  // Errors that only the service can detect are shown at their field.
  const refused = {
    ...typed,
    title: 'Finds a ship',
    checks: { mode: 'extend', list: [{ type: 'noEndingQuestion' }] },
  };
  await tried.getByRole('textbox', { name: 'JSON', exact: true }).fill(JSON.stringify(refused));
  await tried.getByRole('button', { name: 'Save case' }).click();
  await tried.getByText('A noEndingQuestion check only observes').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();

  // The failed run is waived, then run again; it passes now.
  await page.goto(`/console/projects/${projectId}/runs/${secondRun}`);
  await page.getByRole('button', { name: 'Waive' }).click();
  await page.getByRole('textbox', { name: /^Reason/ }).fill('The second page is not asked for yet');
  await page.getByRole('button', { name: 'Waive run' }).click();
  await page.getByRole('button', { name: 'Revoke' }).waitFor();
  expect((await api.getGateWaiver({ projectId, runId: secondRun })).waiver?.active).toBe(true);
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByText('Passed: 6 of 6 cases passed.').waitFor({ timeout: 60_000 });

  // The comparison lists only changed cases and links both traces.
  await named('Compare').click();
  await page.getByLabel('Compare with').selectOption({ label: '#2, failed' });
  await page.getByRole('heading', { name: /against #2$/ }).waitFor();
  await page.getByText('edited, now passed').waitFor();
  expect(await page.getByRole('table', { name: 'Cases in both runs' }).getByRole('row').count()).toBe(2);
  await named('Traces of Finds a ship side by side').click();
  await page.getByRole('heading', { name: /^Before in run #2/ }).waitFor();
  await page.getByRole('heading', { name: /^Now in run #/ }).waitFor();
  await page.getByText('The answer does not contain "Dunlin"').first().waitFor();

  // The quality gate is changed on the suite's page, and only that setting is written.
  await page.goto(`/console/projects/${projectId}/suites/${suiteId}?tab=settings`);
  const before = await api.getEvalSuite({ projectId, suiteId });
  const drop = page.getByLabel('Maximum drop in pass rate, in percentage points');
  await drop.fill('120');
  await page.getByText('Between 0 and 100 percent').waitFor();
  expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
  await drop.fill('7');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('Settings saved').waitFor();
  const after = await api.getEvalSuite({ projectId, suiteId });
  const qualityGate = { maximumPassRateDrop: 0.07, baseline: { kind: 'previous' } };
  expect(after.settings).toEqual({ ...before.settings, qualityGate });
  const changes = page.getByRole('table', { name: 'Suite changes' }).getByRole('row');
  await changes.filter({ hasText: 'settings' }).filter({ hasText: 'the console' }).waitFor();

  // Problems of a file are listed by line, and nothing is stored.
  await page.goto(`/console/projects/${projectId}/suites?make=file`);
  const file = page.getByRole('textbox', { name: 'Suite file' });
  const example = await file.inputValue();
  await file.fill(example.replace('iterations: 5', 'iterations: 50'));
  await page.getByRole('button', { name: 'Check only' }).click();
  await page.getByRole('button', { name: 'Go to line 7' }).waitFor();
  await file.fill(example);
  await page.getByRole('button', { name: 'Check only' }).click();
  await page.getByText('the file is valid').waitFor();
  expect((await api.listEvalSuites({ projectId })).items).toHaveLength(1);
  await page.getByRole('button', { name: 'Sync file' }).click();
  await page.getByRole('heading', { name: 'My suite' }).waitFor();
  expect(complaints).toEqual([]);
});
