import type { Output } from '../../../../client/index.ts';
import { classes } from '../../kit/classes.ts';
import { count } from '../../kit/numbers.ts';
import { Glyph, type State } from '../../kit/state.tsx';
import { textOf } from '../../kit/text.ts';
import css from './trial.module.css';

type Iteration = Output<'getEvalIteration'>;
type Raw = Record<string, unknown>;

/** One thing that was asked of the trial, and what was found. */
interface Check {
  key: string;
  state: State;
  name: string;
  /** What it was given, like the words an answer must have. */
  given: string;
  reason: string;
  decides: boolean;
  /** The turn whose answer it read; of the whole trial, none. */
  turn: number | undefined;
}

/** Those that decide before those that advise, and what failed first. */
export function checksOf(iteration: Iteration): Check[] {
  const predicates = (iteration.predicateResults ?? []).map((raw, at) => fromPredicate(raw, at));
  const named = new Set(predicates.map(({ name }) => name));
  const scores = (iteration.scores ?? [])
    .map((raw, at) => fromScore(raw, at, iteration))
    .filter(({ name }) => !named.has(name));
  const rank = ({ state, decides }: Check): number =>
    (state === 'failed' ? 0 : state === 'passed' ? 2 : 1) + (decides ? 0 : 3);
  return [...predicates, ...scores].toSorted((a, b) => rank(a) - rank(b));
}

function fromPredicate(raw: Raw, at: number): Check {
  const { type, role, severity, ...given } = (raw['predicate'] ?? {}) as Raw;
  return {
    key: `p${at}`,
    state: raw['passed'] === true ? 'passed' : raw['passed'] === false ? 'failed' : 'notMeasured',
    name: words(textOf(type, 'check')),
    given: Object.entries(given)
      .map(([name, value]) => `${name}: ${textOf(value)}`)
      .join(', '),
    reason: textOf(raw['reason']),
    decides: role !== 'advisory' && severity !== 'warn',
    turn: turnOf(raw),
  };
}

function fromScore(raw: Raw, at: number, { evaluationConfig }: Iteration): Check {
  const definition = evaluationConfig?.definitions.find(({ scorerId }) => scorerId === raw['scorerId']);
  const { status, passed, value } = raw;
  return {
    key: `s${at}`,
    state:
      status === 'not_applicable' || status === 'skipped'
        ? 'skipped'
        : passed === true
          ? 'passed'
          : passed === false
            ? 'failed'
            : 'notMeasured',
    name: words(textOf(definition?.['label'] ?? raw['scorerId'], 'score')),
    given: typeof value === 'number' && value !== 0 && value !== 1 ? `score ${value}` : '',
    reason: textOf(raw['rationale']),
    decides: definition?.['role'] === 'gating' || definition?.['role'] === 'required',
    turn: turnOf(raw),
  };
}

function turnOf(raw: Raw): number | undefined {
  const scope = raw['scope'] as Raw | undefined;
  return scope?.['kind'] === 'turn' && typeof scope['promptIndex'] === 'number'
    ? scope['promptIndex']
    : undefined;
}

/** `responseContains` is "response contains". */
function words(name: string): string {
  return /\s/.test(name)
    ? name
    : name.replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}

export function Checks({ checks, onShow }: { checks: Check[]; onShow: (turn: number | undefined) => void }) {
  if (checks.length === 0) return <p className={css.soft}>Nothing was checked.</p>;
  return (
    <ul className={css.checks}>
      {checks.map(({ key, state, name, given, reason, decides, turn }) => (
        <li key={key} className={classes(css.check, state === 'failed' && decides && css.deciding)}>
          <Glyph state={state} size={16} label={state === 'skipped' ? 'not applicable' : state} />
          <div>
            <p>
              <strong>{name}</strong>
              {given && <span className={css.given}> {given}</span>}
            </p>
            {reason && <p className={css.reason}>{reason}</p>}
            <p className={css.soft}>
              {decides ? 'decides' : 'advises only'}
              {turn !== undefined && `, reads turn ${count(turn + 1)}`}
              {' · '}
              <button type="button" className={css.show} onClick={() => onShow(turn)}>
                show what it read
              </button>
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
