import { bigint, manyOf, oneOf, orNull, text } from '../columns.ts';
import { query } from '../query.ts';

const opened = manyOf({
  id: text,
  organizationId: text,
  projectId: orNull(text),
  runId: orNull(text),
  trialId: orNull(text),
  model: text,
  billed: oneOf<'operator' | 'own-key' | 'free'>(),
});
/** Inserts rows of calls that are about to be made. */
export const open = query(
  'model-calls.open',
  `insert into model_calls (id, organization_id, project_id, run_id, trial_id, model, billed)
   select * from ${opened.from('n')}`,
  opened.takes,
);
const closed = manyOf({
  id: text,
  outcome: text,
  inputTokens: orNull(bigint),
  outputTokens: orNull(bigint),
  costMicros: orNull(bigint),
});
/** Records the outcome of open calls. A closed call stays unchanged. */
export const close = query(
  'model-calls.close',
  `update model_calls c set outcome = n.outcome, input_tokens = n.input_tokens, output_tokens = n.output_tokens,
     cost_micros = n.cost_micros, closed_at = now()
   from ${closed.from('n')} where c.id = n.id and c.closed_at is null`,
  closed.takes,
);
