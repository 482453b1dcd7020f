import type { Db } from '../../../platform/database/database.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Suite } from '../../eval-suites/suite.ts';
import { placeOf } from '../../execution/place.ts';
import type { Selection } from '../../execution/selection.ts';
import { frozenJudge } from '../frozen-judge.ts';
import type { RunSnapshot } from '../snapshot.ts';
import type { Plan } from './plan.ts';

interface Asked {
  selection: Selection;
  minimumPassRate?: number | undefined;
  excludeSkills: boolean;
}

/** Freezes everything the run will use. Refuses if a server needs authorization. */
export async function snapshotOf(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  plan: Plan,
  { selection, minimumPassRate, excludeSkills }: Asked,
): Promise<RunSnapshot> {
  const { settings, execution } = suite;
  const place = await placeOf(context, db, selection);
  // For the system prompt, the suite's value is the fallback for the client's; for the temperature, the client's is
  // the fallback.
  const systemPrompt = place.systemPrompt ?? execution?.systemPrompt;
  const temperature = execution?.temperature ?? place.temperature;
  return {
    version: 1,
    suite: { id: suite.id, name: suite.name, revision: suite.revision },
    // A pass rate in the request applies to the run as a whole, which is policy 1.
    policy: minimumPassRate === undefined ? settings.policy : 1,
    minimumPassRate: minimumPassRate ?? settings.minimumPassRate ?? 100,
    validity: settings.validity ?? {},
    judge: frozenJudge(settings.judge, plan.judge),
    cases: plan.cases,
    ...place,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(excludeSkills && { skills: [] }),
    pluginVersions: (selection.composition?.pluginVersions ?? []).map(
      ({ id, pluginId, pluginName, bundleHash }) => ({ id, pluginId, name: pluginName, bundleHash }),
    ),
  };
}
