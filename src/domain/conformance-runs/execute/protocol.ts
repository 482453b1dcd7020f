import { Gate } from '../../../conformance/gate.ts';
import { groupOf, type ScenarioResult } from '../../../conformance/grade-protocol.ts';
import type { Group, SuiteReport } from '../../../conformance/report.ts';
import {
  gradableRevisions,
  handshake,
  isGradable,
  notApplicable,
  type Scenario,
  type ScenarioContext,
  scenariosOf,
} from '../../../conformance/scenarios.ts';
import { hasSuite, runScenario, suiteVersion } from '../../../conformance/suite-process.ts';
import type { FailureKind } from '../../../mcp/failures.ts';
import { beginningWithoutSecrets, type HttpTarget } from '../../../mcp/target.ts';
import { drain } from '../../live/drain.ts';
import { ask, graded, reachSubject, type Subject, Unreached } from './subject.ts';

/** Milliseconds per scenario, and for the whole suite. */
const scenarioTimeout = 60_000;
const suiteTimeout = 300_000;
/** Maximum number of characters of a text in the report. */
const maxText = 4_000;

/** Failures of a server that responds, but not as an MCP server; graded as a failed handshake. */
const answersWrongly: readonly FailureKind[] = ['not-mcp', 'rpc', 'status', 'unknown'];

interface Plan extends ScenarioContext {
  revision: string;
  scenarios: readonly Scenario[];
  /** Tools annotated as read-only. */
  callable: ReadonlySet<string>;
}

/** Runs the scenarios of the official suite that apply to an arbitrary server. */
export function protocolReport(subject: Subject): Promise<SuiteReport> {
  return graded('protocol', 'MCP protocol', async () => {
    if (!hasSuite())
      throw new Unreached('The official suite is not built here. In a checkout, run: npm run build');
    const plan = await planOf(subject);
    const { target } = await reachSubject(subject);
    const address = await target.address();
    if (address.kind !== 'http') throw new Unreached('Servers over HTTP only');
    const groups = await runAll(subject, plan, address);
    return {
      groups,
      profile: plan.revision,
      engine: { name: '@modelcontextprotocol/conformance', version: suiteVersion },
    };
  });
}

async function planOf(subject: Subject): Promise<Plan> {
  const onLoopback = isOnLoopback(subject);
  try {
    return await ask(subject, {}, async (conversation) => {
      const { protocolVersion: revision, transport, capabilities } = conversation.identity;
      if (transport === 'sse')
        throw new Unreached('The server speaks the HTTP transport of 2024-11-05, which the suite does not');
      if (!isGradable(revision))
        throw new Unreached(
          `The server speaks ${revision.slice(0, 100)}; the suite grades ${gradableRevisions.join(', ')}`,
        );
      const tools = await drain(conversation, 'tools').catch(() => undefined);
      const callable = new Set(
        (tools?.items ?? [])
          .filter(readsOnly)
          .flatMap(({ name }) => (typeof name === 'string' ? [name] : [])),
      );
      return { revision, scenarios: scenariosOf(revision), capabilities, onLoopback, callable };
    });
  } catch (error) {
    const kind = error instanceof Unreached ? error.failure?.kind : undefined;
    if (kind === undefined || !answersWrongly.includes(kind)) throw error;
    const revision = '2025-11-25';
    return { revision, scenarios: [handshake], capabilities: {}, onLoopback, callable: new Set() };
  }
}

/** A tunneled server runs on another machine, whatever its URL says. */
function isOnLoopback({ server }: Subject): boolean {
  if (server.tunnelSlug !== null || server.url === null) return false;
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(server.url).hostname);
}

function readsOnly(tool: Record<string, unknown>): boolean {
  return (tool['annotations'] as { readOnlyHint?: unknown } | undefined)?.readOnlyHint === true;
}

async function runAll(subject: Subject, plan: Plan, address: HttpTarget): Promise<Group[]> {
  const { context } = subject;
  const gate = new Gate(context.mcp.outbound, address, plan.callable);
  await gate.open();
  const clean = (text: string): string =>
    beginningWithoutSecrets(text.replaceAll(gate.url, 'the server'), gate.secrets(), maxText);
  const ends = performance.now() + suiteTimeout;
  const groups: Group[] = [];
  try {
    for (const scenario of plan.scenarios) {
      const result = await resultOf(scenario, plan, gate, ends, subject);
      groups.push(groupOf(scenario, result, clean));
    }
    return groups;
  } finally {
    await gate.close();
  }
}

async function resultOf(
  scenario: Scenario,
  plan: Plan,
  gate: Gate,
  ends: number,
  { signal, context: { confinement } }: Subject,
): Promise<ScenarioResult> {
  const reason = notApplicable(scenario, plan);
  if (reason !== undefined) return { kind: 'skipped', reason };
  const left = ends - performance.now();
  if (left < 1_000) return { kind: 'broken', reason: 'The suite timed out', durationMs: 0 };
  const started = performance.now();
  const timeout = Math.min(scenarioTimeout, left);
  const outcome = await runScenario({
    scenario: scenario.id,
    revision: plan.revision,
    url: gate.url,
    timeout,
    signal,
    confinement,
  });
  const durationMs = Math.round(performance.now() - started);
  const refusedCalls = gate.takeRefused();
  if ('problem' in outcome) return { kind: 'broken', reason: outcome.problem, durationMs };
  return { kind: 'checks', checks: outcome.checks, durationMs, refusedCalls };
}
