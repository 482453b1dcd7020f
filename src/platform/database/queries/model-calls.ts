import { bigint, listOf, oneOf, orNull, text, texts } from '../columns.ts';
import { query } from '../query.ts';

/** Rows of calls that are about to be made. */
export const open = query(
  'model-calls.open',
  `insert into model_calls (id, organization_id, project_id, run_id, trial_id, model, billed)
   select * from unnest(:ids::text[], :organizationIds::text[], :projectIds::text[], :runIds::text[],
     :trialIds::text[], :models::text[], :billed::text[])`,
  {
    ids: texts,
    organizationIds: texts,
    projectIds: listOf(orNull(text)),
    runIds: listOf(orNull(text)),
    trialIds: listOf(orNull(text)),
    models: texts,
    billed: listOf(oneOf<'operator' | 'own-key' | 'free'>()),
  },
);
/** What came of them; one that is closed stays as it is. */
export const close = query(
  'model-calls.close',
  `update model_calls c set outcome = n.outcome, input_tokens = n.input_tokens, output_tokens = n.output_tokens,
     cost_micros = n.cost_micros, closed_at = now()
   from unnest(:ids::text[], :outcomes::text[], :inputTokens::bigint[], :outputTokens::bigint[], :costs::bigint[])
     as n (id, outcome, input_tokens, output_tokens, cost_micros)
   where c.id = n.id and c.closed_at is null`,
  {
    ids: texts,
    outcomes: texts,
    inputTokens: listOf(orNull(bigint)),
    outputTokens: listOf(orNull(bigint)),
    costs: listOf(orNull(bigint)),
  },
);
