import { argumentTest } from '../matching/arguments.ts';
import { list, show } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';
import { madeCalls, times } from './shared/scope.ts';

/** A tool was called with such arguments, often enough. */
export const toolCalledWith: CheckKind<'toolCalledWith'> = {
  type: 'toolCalledWith',
  stage: 'selection',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ toolName, args, minCount = 1 }, evidence) {
    const calls = madeCalls(evidence, toolName);
    if (calls.length === 0) return failed(`${toolName} was never called`);
    const test = argumentTest();
    const mode = args.argumentMatching ?? 'partial';
    const matching = calls.filter((call) => test(args.args, call.arguments, mode)).length;
    const found = `${toolName} was called ${times(matching)} with ${show(args.args)} (${mode})`;
    if (matching >= minCount) return passed(found);
    if (matching > 0) return failed(`${found}, not ${times(minCount)}`);
    const others = list(calls.map((call) => show(call.arguments)));
    return failed(`${toolName} was never called with ${show(args.args)} (${mode}), but with ${others}`);
  },
};
