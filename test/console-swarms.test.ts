// @module-tag long
// @module-tag chromium
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { setFeature } from '../src/domain/operator/organizations.ts';
import { seriousFindings } from './support/access.ts';
import { startBrowser, visit } from './support/chromium.ts';
import { startConsole } from './support/console.ts';
import { executing } from './support/evals.ts';
import { askedOf, Journeys, playing } from './support/journeys.ts';
import { givePassword, newSession } from './support/people.ts';
import type { ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';

test('a persona and a journey are authored, launched without a language model, watched, read and followed', async () => {
  const [service, browser] = await Promise.all([startConsole(), startBrowser()]);
  const { api, projectId, serverId } = service;
  const config = { modelId: 'drydock/rehearsal', serverIds: [serverId] };
  await api.createClient({ projectId, body: { name: 'Harbour client', config } });
  await api.createServerGroup({ projectId, body: { name: 'Ships', serverIds: [serverId] } });
  const { page, complaints } = await visit(browser, service);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) });

  // Candidates are drafted from the tools of the group; one press makes a persona with their journeys.
  await page.goto('/console/');
  await page.getByRole('link', { name: 'Swarms', exact: true }).click();
  await page.getByText('No journey runs yet').waitFor();
  await button('Draft with a model').click();
  await button('Draft personas').click();
  await button('Create with 2 journeys').first().click();
  await page.getByText('created', { exact: true }).waitFor();
  expect((await api.listPersonas({ projectId })).items).toHaveLength(1);
  const [drafted] = (await api.listJourneys({ projectId })).items;
  expect(drafted?.hostIds).toHaveLength(1);
  expect(drafted?.rubric?.criteria[0]?.predicate).toMatchObject({ type: 'toolCalledAtLeastOnce' });
  expect(await seriousFindings(page)).toEqual([]);
  await button('Cancel').click();

  await button('New persona').click();
  await field('Name').fill('<b>Ada</b>');
  await field('Role').fill('harbour master in a hurry');
  await button('Create persona').click();
  await page.getByText('Persona <b>Ada</b> saved').waitFor();

  // A journey with a criterion that is met, and one that is not.
  await button('New journey').click();
  await page
    .getByRole('combobox', { name: /^Persona/ })
    .selectOption({ label: '<b>Ada</b>, harbour master in a hurry' });
  await field('Goal required').fill('List the ships in the harbour.');
  await field('Name').fill('Find a berth');
  await page.getByRole('checkbox', { name: /Harbour client/ }).check();
  await field('Sessions per target').fill('101');
  await page.getByText('A whole number from 1 to 100').waitFor();
  expect(await button('Create journey').isDisabled()).toBe(true);
  await field('Sessions per target').fill('3');
  await field('Maximum persona messages').fill('2');
  await page.getByRole('checkbox', { name: /^Judge whether/ }).uncheck();
  await button('Add criterion').click();
  await button('Add criterion').click();
  const second = page.getByRole('list', { name: 'Criteria' }).getByRole('listitem').nth(1);
  await second.getByLabel('Label').fill('Names the Zeppelin');
  await second.getByLabel('The model').selectOption('responseContains');
  expect(await button('Create journey').isDisabled()).toBe(true);
  await second.getByRole('textbox', { name: 'needle' }).fill('Zeppelin');
  await button('Create journey').click();
  await page.getByRole('heading', { name: 'Find a berth' }).waitFor();
  await page.getByText('says “Zeppelin”').waitFor();

  // Launched from its page; every session ends on the board, and the run is decided there.
  await button('Launch').click();
  await page.getByText('3 sessions with 1 target').waitFor();
  await button('Launch journey').click();
  const board = page.getByRole('table', { name: 'Sessions by target' });
  await expect
    .poll(() => board.getByRole('link', { name: /: failed, \d messages? answered$/ }).count(), {
      timeout: 60_000,
    })
    .toBe(3);
  await page.getByText('At least one target is below its pass threshold.').waitFor();
  const scores = page.getByRole('table', { name: 'Scorecard' });
  await scores
    .getByRole('row', { name: /Names the Zeppelin/ })
    .getByText('0 of 3')
    .waitFor();
  await scores
    .getByRole('row', { name: /noToolErrors/ })
    .getByText('3 of 3')
    .waitFor();
  await button('Find common causes').click();
  const found = page.getByRole('list', { name: 'Findings' });
  await found.getByText('Criterion not met: Names the Zeppelin').waitFor({ timeout: 60_000 });
  expect(await seriousFindings(page)).toEqual([]);

  // The evidence leads to a transcript beside its trace; the arrows of the board go from session to session.
  await found.getByRole('link', { name: 'session 1', exact: true }).first().click();
  await page.getByRole('heading', { name: /^Session \d with Harbour client$/ }).waitFor();
  const transcript = page.getByRole('list', { name: 'Transcript' });
  await transcript.getByRole('heading', { name: '<b>Ada</b>' }).first().waitFor();
  const grades = page.getByRole('region', { name: 'Grading' });
  await grades.getByText('A required criterion was not met.').waitFor();
  await grades.getByRole('img', { name: 'not met' }).waitFor();
  const trace = page.getByRole('region', { name: 'Trace' });
  await trace
    .getByRole('button', { name: /^list_ships, tool/ })
    .first()
    .click();
  await transcript.locator('[aria-current="true"]', { hasText: 'list_ships' }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Run', exact: true }).click();
  await board.locator('a[data-session="1"]').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Session 2 with Harbour client' }).waitFor();

  // A finding is dismissed and restored.
  await page.getByRole('link', { name: 'Swarms', exact: true }).first().click();
  await page.getByRole('table', { name: 'Latest runs of journeys' }).getByText('Find a berth').waitFor();
  await page.getByRole('link', { name: 'Findings' }).click();
  await page.getByRole('img', { name: /^Criterion not met: Names the Zeppelin\. In 1 wave/ }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await button('Dismiss: Criterion not met, Names the Zeppelin').click();
  await page.getByRole('checkbox', { name: 'Show 1 dismissed finding' }).check();
  const findings = await api.listSwarmFindings({ projectId });
  expect(findings.items.find(({ dismissedAt }) => dismissedAt !== null)?.subject.label).toBe(
    'Names the Zeppelin',
  );
  await button('Restore: Criterion not met, Names the Zeppelin').click();
  await button('Dismiss: Criterion not met, Names the Zeppelin').waitFor();
  expect(complaints).toEqual([]);
});

describe('with a language model', () => {
  let provider: ScriptedProvider;
  let service: TestService;
  let journeys: Journeys;
  executing(async (parts) => {
    ({ provider, service } = parts);
    journeys = await Journeys.of(service);
  });
  beforeEach(() => {
    provider.requests.length = 0;
  });

  test('the board shows what ended, what runs and what waits, and what becomes of it when it is cancelled', async () => {
    // The second session never hears from its persona again.
    const play = playing({
      persona: (turn) => (turn < 1 ? { message: 'Which ships are here?' } : { endSession: true }),
      judge: () => ({ score: 0.9, reason: 'She knows all of them.' }),
    });
    const beginnings = (): number =>
      provider.requests.filter((sent) => askedOf({ ...sent, call: 0, results: 0 }) === 'persona').length;
    provider.script = (request) =>
      askedOf(request) === 'persona' && beginnings() > 2 ? { silent: true } : play(request);
    const server = await journeys.server();
    const hostIds = [await journeys.client([server])];
    const journeyId = await journeys.journey({ hostIds, sessionsPerTarget: 3 });
    const { page, complaints, at } = await opened();
    await page.goto(`${at}/swarms/journeys/${journeyId}`);
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.getByRole('button', { name: 'Launch journey' }).click();
    const board = page.getByRole('table', { name: 'Sessions by target' });
    const states = (): Promise<(string | null)[]> =>
      board
        .locator('[data-session]')
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));
    await expect
      .poll(states, { timeout: 60_000 })
      .toEqual(['Session 1: passed, 1 message answered', 'Session 2: running', 'Session 3: waiting']);
    await page.getByText('Running: 1 of 3 sessions ended.').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Cancelled after 3 of 3 sessions.').waitFor();
    await expect
      .poll(states)
      .toEqual(['Session 1: passed, 1 message answered', 'Session 2: cancelled', 'Session 3: cancelled']);
    await board.getByRole('link', { name: /^Session 1/ }).click();
    await page.getByText('goal reached, score 90%').waitFor();
    await page.getByText('She knows all of them.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('where swarms are off the rail has none, and their page says how they are switched on', async () => {
    await setFeature(service.db, { organization: undefined, feature: 'swarms', enabled: false });
    onTestFinished(() =>
      setFeature(service.db, { organization: undefined, feature: 'swarms', enabled: true }),
    );
    const { page, complaints, at } = await opened();
    await page.goto(`${at}/swarms`);
    await page.getByText('drydock features enable swarms').waitFor();
    expect(await page.getByRole('link', { name: 'Swarms', exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New journey' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  /** The console as a member of the organization who has just signed in. */
  async function opened() {
    const { userId } = await service.member('member');
    await givePassword(service, userId);
    const session = await newSession(service, userId);
    const visited = await visit(await startBrowser(), { baseUrl: service.origin, session });
    return { ...visited, at: `/console${journeys.project}` };
  }
});
