import { createHash } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import type { ModelRoute } from '../../../models/resolve.ts';
import { sortKeys } from '../../../platform/canonical.ts';
import { refusalOfUrl } from '../../../platform/network/address-guard.ts';
import { invalid } from '../../base/refusals.ts';
import { clientCalled } from '../../clients/find.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import type { Judge } from '../../eval-suites/settings.ts';
import { findSuite, type Suite } from '../../eval-suites/suite.ts';
import { selectTarget, type Wanted } from '../../execution/selection.ts';
import { judgingRoute } from '../../judging/ask-judge.ts';
import { decides, frozenJudge } from '../frozen-judge.ts';
import { casesNamed } from './cases.ts';
import { planRun } from './plan.ts';

type Input = InputOf<Operations['getEvalRunDisclosure']>;
type Disclosure = OutputOf<Operations['getEvalRunDisclosure']>;

/** Plans a run like a launch, without writing anything, and reports which providers would receive data. */
export const getEvalRunDisclosure: Verb<'getEvalRunDisclosure'> = async (context, input) => {
  const suite = await findSuite(context, input.suiteId);
  const facts = {
    contractVersion: 1 as const,
    ...(await executionOf(context, suite, input)),
    ...elsewhere(suite, context),
  };
  const digest = createHash('sha256')
    .update(JSON.stringify(sortKeys(facts)))
    .digest('hex');
  return { ...facts, computedAt: context.clock(), digest };
};

async function executionOf(
  context: ProjectContext,
  suite: Suite,
  input: Input,
): Promise<Pick<Disclosure, 'execution' | 'executionAbsence' | 'subprocessors'>> {
  try {
    const routes = await routesOf(context, suite, input);
    const models = routes.map((route) => ({
      id: route.id,
      provider: route.provider,
      egress: egressOf(route),
      rail: route.baseUrl === undefined ? 'in-process' : new URL(route.baseUrl).host,
    }));
    const providers = [
      ...new Set(models.filter(({ egress }) => egress === 'byok-cloud').map(({ rail }) => rail)),
    ];
    return {
      execution: {
        engine: 'emulated',
        sandbox: { engaged: false, because: 'Trials run in the processes of this service' },
        locus: { known: true, hosted: false, reason: 'This service is run by its operator' },
        models,
      },
      subprocessors: providers.map((host) => ({
        name: host,
        purpose: 'language model',
        chosenBy: 'operator',
      })),
    };
  } catch (error) {
    // A missing resource is the caller's error. Any other refusal means that the plan is invalid, which the
    // disclosure reports.
    if (!(error instanceof Refusal) || error.code === 'NOT_FOUND') throw error;
    return { executionAbsence: { kind: 'plan-unresolved', reason: error.message }, subprocessors: [] };
  }
}

async function routesOf(context: ProjectContext, suite: Suite, input: Input): Promise<ModelRoute[]> {
  const rows = await casesNamed(context.db, suite.id, input.caseIds);
  const routes = new Map<string, ModelRoute>();
  for (const target of await targetsOf(context, input)) {
    const selection = await selectTarget(context, suite, target);
    const plan = planRun(context, suite, rows, selection, {
      apiKeys: {},
      approved: new Map(rows.map(({ id }) => [id, ''])),
    });
    for (const route of plan.routes) routes.set(route.pool, route);
  }
  return [...routes.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function targetsOf({ db, project }: ProjectContext, input: Input): Promise<Wanted[]> {
  const { environmentId, environmentIds, host } = input;
  const given = [environmentId, environmentIds, host].filter((one) => one !== undefined);
  if (given.length > 1) throw invalid('environmentId, environmentIds and host are mutually exclusive');
  if (environmentIds) return environmentIds.map((id) => ({ environmentId: id }));
  if (host !== undefined) return [{ namedHostId: (await clientCalled(db, project.id, host)).id }];
  return [environmentId === undefined ? {} : { environmentId }];
}

/** A provider on this machine or in a private network is operated locally. */
function egressOf({ baseUrl }: ModelRoute): 'byok-cloud' | 'byok-local' {
  const outside =
    baseUrl !== undefined && refusalOfUrl(baseUrl, { local: false, networks: [] }) === undefined;
  return outside ? 'byok-cloud' : 'byok-local';
}

/** Disclosure of the judge: its model, where evidence is sent, and whether it runs automatically or on request. */
function judging(judge: Judge, route: ModelRoute | undefined): Disclosure['analysis'][number] {
  const frozen = frozenJudge(judge, route);
  return {
    kind: 'judge',
    deterministic: route === undefined,
    model: frozen.resolved,
    evidence:
      route?.baseUrl === undefined ? 'stays in this service' : `goes to ${new URL(route.baseUrl).host}`,
    fires: judge.autoRun ? 'after each run' : 'on request',
    decides: decides(frozen),
  };
}

function elsewhere(
  { settings }: Suite,
  { models }: ProjectContext,
): Pick<Disclosure, 'analysis' | 'capture' | 'retention' | 'region'> {
  const checks = [...new Set(settings.checks.map(({ type }) => type))].sort();
  return {
    analysis: [
      { kind: 'checks', deterministic: true, evidence: 'stays in this service', types: checks },
      { kind: 'stages', deterministic: true, evidence: 'stays in this service' },
      ...(settings.judge.enabled
        ? [judging(settings.judge, judgingRoute(models, settings.judge.model))]
        : []),
    ],
    capture: {
      messages: true,
      toolCalls: true,
      toolResults: 'whole up to 262,144 bytes each, then the beginning',
      secrets: 'redacted from server responses',
      screenshots: false,
    },
    retention: { kind: 'kept-indefinitely', note: 'Until the suite or the project is deleted' },
    region: { stated: false, reason: 'The operator chooses the hosting region' },
  };
}
