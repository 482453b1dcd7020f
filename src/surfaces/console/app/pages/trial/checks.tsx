import type { Output } from '../../api/index.ts';
import { classes } from '../../kit/classes.ts';
import common from '../../kit/common.module.css';
import { asSchema } from '../../kit/form/schema.ts';
import { briefJson } from '../../kit/json.ts';
import { LimitedList } from '../../kit/limited-list.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { count } from '../../kit/numbers.ts';
import { Glyph, type State } from '../../kit/state.tsx';
import { cut, textOf } from '../../kit/text.ts';
import css from './trial.module.css';

type Iteration = Output<'getEvalIteration'>;
type Raw = Record<string, unknown>;

/** A check of the trial and its result. */
interface Check {
  key: string;
  state: State;
  name: string;
  given: string;
  reason: string;
  decides: boolean;
  /** The turn whose answer it reads; undefined for the whole trial. */
  turn: number | undefined;
}

/** Deciding checks before advisory ones, and failures first within each. */
export function checksOf(iteration: Iteration): Check[] {
  const predicates = recordsOf(iteration.predicateResults).map(fromPredicate);
  const named = new Set(predicates.map(({ name }) => name));
  const scores = recordsOf(iteration.scores)
    .map((raw, at) => fromScore(raw, at, iteration))
    .filter(({ name }) => !named.has(name));
  const rank = ({ state, decides }: Check): number =>
    (state === 'failed' ? 0 : state === 'passed' ? 2 : 1) + (decides ? 0 : 3);
  return [...predicates, ...scores].toSorted((a, b) => rank(a) - rank(b));
}

/** Reported values are untrusted. */
function recordsOf(list: unknown): Raw[] {
  return Array.isArray(list) ? list.map((one) => asSchema(one) ?? {}) : [];
}

function fromPredicate(raw: Raw, at: number): Check {
  const { type, role, severity, ...given } = asSchema(raw['predicate']) ?? {};
  return {
    key: `p${at}`,
    state: raw['passed'] === true ? 'passed' : raw['passed'] === false ? 'failed' : 'notMeasured',
    name: words(cut(textOf(type, 'check'))),
    given: Object.entries(given)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? cut(value) : briefJson(value)}`)
      .join(', '),
    reason: textOf(raw['reason']),
    decides: role !== 'advisory' && severity !== 'warn',
    turn: turnOf(raw),
  };
}

function fromScore(raw: Raw, at: number, { evaluationConfig }: Iteration): Check {
  const definition = recordsOf(evaluationConfig?.definitions).find(
    ({ scorerId }) => scorerId === raw['scorerId'],
  );
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
    name: words(cut(textOf(definition?.['label'] ?? raw['scorerId'], 'score'))),
    given: typeof value === 'number' && value !== 0 && value !== 1 ? `score ${value}` : '',
    reason: textOf(raw['rationale']),
    decides: definition?.['role'] === 'gating' || definition?.['role'] === 'required',
    turn: turnOf(raw),
  };
}

function turnOf(raw: Raw): number | undefined {
  const scope = asSchema(raw['scope']);
  return scope?.['kind'] === 'turn' && typeof scope['promptIndex'] === 'number'
    ? scope['promptIndex']
    : undefined;
}

/** `responseContains` becomes “response contains”. */
function words(name: string): string {
  return /\s/.test(name)
    ? name
    : name.replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}

export function Checks({ checks, onShow }: { checks: Check[]; onShow: (turn: number | undefined) => void }) {
  if (checks.length === 0) return <p className={common.soft}>No checks.</p>;
  return (
    <ul className={common.box}>
      <LimitedList items={checks} noun="check" rest="li">
        {({ key, state, name, given, reason, decides, turn }) => (
          <li
            key={key}
            className={classes(common.boxItem, state === 'failed' && decides && common.failedGround)}
          >
            <Glyph state={state} size={16} label={state === 'skipped' ? 'not applicable' : state} />
            <div>
              <p>
                <strong>{name}</strong>
                {given && <span className={css.given}> {cut(given, 1_000)}</span>}
              </p>
              {reason && <LongText className={common.breakable} text={reason} />}
              <p className={common.soft}>
                {decides ? 'decides' : 'advisory'}
                {turn !== undefined && `, reads turn ${count(turn + 1)}`}
                {' · '}
                <button type="button" className={css.show} onClick={() => onShow(turn)}>
                  show input
                </button>
              </p>
            </div>
          </li>
        )}
      </LimitedList>
    </ul>
  );
}
