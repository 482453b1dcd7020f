import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { lexer } from 'marked';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { operationList } from '../src/contract/index.ts';
import { anchorOf } from '../src/surfaces/docs/guides/markdown.ts';
import { type Place, place } from './support/process.ts';

/** The dashboard and the alerts use only series that a running service exports. */

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

const rulesFile = new URL('../deploy/prometheus/alerts.yaml', import.meta.url).pathname;
let rules: Rule[];
let dashboard: { panels: { title: string; targets?: { expr: string }[] }[] };

beforeAll(async () => {
  rules = (parse(await readFile(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    (group) => group.rules,
  );
  const json = await readFile(new URL('../deploy/grafana/drydock.json', import.meta.url), 'utf8');
  dashboard = JSON.parse(json) as typeof dashboard;
});

interface Selector {
  name: string;
  matchers: { label: string; value: string }[];
}

/** The series in an expression, with its label matchers. */
function selectorsIn(expr: string): Selector[] {
  const plain = expr
    .replaceAll(/\b(?:by|without) *\([^)]*\)/g, ' ')
    // Removes Grafana's variables, and durations.
    .replaceAll(/\[[^\]]*\]/g, ' ');
  return [...plain.matchAll(/([a-zA-Z_]\w*)(?:\{([^}]*)\})?(?!\w*\s*\()/g)]
    .map(([, name = '', matchers = '']) => ({
      name,
      matchers: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = '', value = '']) => ({ label, value }),
      ),
    }))
    .filter(({ name }) => !/^e\d+$/.test(name));
}

/** Label values of each series, by its name, as /metrics shows them. */
function seriesIn(text: string): Map<string, Map<string, Set<string>>> {
  const series = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)/gm))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      series.set(name + suffix, new Map());
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm))
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      const known = series.get(name) as Map<string, Set<string>>;
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
  return series;
}

/** Labels that Prometheus adds. */
const ofPrometheus = ['instance', 'job'];
/** Labels whose values appear only when they occur, with a check of possible values. */
const occurring: Record<string, (value: string) => boolean> = {
  status: (value) => /^\d{3}$/.test(value),
  operation: (value) => operationList.some(({ id }) => id === value) || value === 'put',
};

function unknownIn(expr: string, series: ReturnType<typeof seriesIn>): string[] {
  return selectorsIn(expr).flatMap(({ name, matchers }) => {
    if (name === 'up') return [];
    const labels = series.get(name);
    if (!labels) return [name];
    return matchers
      .filter(({ label }) => !ofPrometheus.includes(label))
      .flatMap(({ label, value }) => value.split('|').map((one) => ({ label, one })))
      .filter(({ label, one }) => !(occurring[label]?.(one) || labels.get(label)?.has(one)))
      .map(({ label, one }) => `${name}{${label}="${one}"}`);
  });
}

async function scraped(home: Place): Promise<string> {
  const service = await home.serve();
  const origin = new URL(service.baseUrl).origin;
  await fetch(`${service.baseUrl}/me`, { headers: { authorization: `Bearer ${service.key}` } });
  return (await fetch(`${origin}/metrics`)).text();
}

test('every series that the dashboard and the alerts name is exported, with the labels they ask for', async () => {
  const series = seriesIn(await scraped(await place()));
  const shown = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, expr })),
  );
  const alarming = rules.map(({ alert, expr }) => ({ where: alert, expr }));
  const all = [...shown, ...alarming];
  const unknown = all.map(({ where, expr }) => [where, unknownIn(expr, series)] as const);
  expect(unknown.filter(([, names]) => names.length > 0)).toEqual([]);
  expect(all.filter(({ expr }) => selectorsIn(expr).length === 0)).toEqual([]);
  // Every exported series is on the dashboard.
  const used = new Set(shown.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => name)));
  const ignored = [...series.keys()].filter((name) => !used.has(name) && !name.endsWith('_count'));
  expect(ignored).toEqual([]);
  // The check itself can fail.
  expect(unknownIn('rate(drydock_nothing_total[5m]) > 1', series)).toEqual(['drydock_nothing_total']);
  expect(unknownIn('drydock_job_events_total{event="gone"}', series)).toHaveLength(1);
});

test('every alert has a runbook, and every runbook an alert', async () => {
  const taken = new Map<string, number>();
  const text = await readFile(new URL('../docs/operating.md', import.meta.url), 'utf8');
  const headings = lexer(text).flatMap((token) => (token.type === 'heading' ? [token.text as string] : []));
  const anchors = headings.map((heading) => anchorOf(heading, taken));
  const wanted = rules.map(({ annotations }) => new URL(annotations.runbook_url));
  expect(new Set(wanted.map(({ pathname }) => pathname))).toEqual(new Set(['/docs/guides/operating']));
  expect(wanted.map(({ hash }) => hash.slice(1)).filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  expect(headings.filter((heading) => /^Drydock[A-Z]/.test(heading))).toEqual(
    rules.map(({ alert }) => alert),
  );
  for (const { labels, annotations } of rules)
    expect([labels.severity, annotations.summary]).toEqual([
      expect.stringMatching(/^(?:info|warning|critical)$/),
      expect.stringMatching(/\w/),
    ]);
});

test('Prometheus takes the alerts', { tags: ['promtool'] }, () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
