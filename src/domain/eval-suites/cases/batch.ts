import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import { CaseCreateRequest } from '../../../contract/eval-cases.ts';
import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { sortKeys } from '../../../platform/canonical.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as cases from '../../../platform/database/queries/eval-cases.ts';
import { readAs } from '../../base/input.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { type Suite, withSuite, writeRevision } from '../suite.ts';
import { addCase, isCaseRefusal, largestCase, type SuiteSize, suiteSize } from './add.ts';
import { type CaseDefinition, contentHash, newCase } from './definition.ts';
import { refuseOnRate } from './rules.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

type Result = OutputOf<Operations['createEvalCases']>;
type Created = Result['created'][number];
type Failed = Result['failed'][number];
type Policy = Result['duplicatePolicy']['effectivePolicy'];

const policies: readonly string[] = ['block', 'warn', 'create_anyway'] satisfies Policy[];

interface Batch {
  context: ProjectContext;
  db: Db;
  suite: Suite;
  vocabulary: Vocabulary;
  policy: Policy;
  key: string | undefined;
  taken: SuiteSize;
  /** Keys of the items so far. */
  keys: Set<string>;
}

interface Item {
  index: number;
  hash: string;
  value: z.output<typeof CaseCreateRequest>;
  /** The definition, or why it is invalid. */
  definition: CaseDefinition | Refusal;
  fail: (code: Failed['code'], message: string) => Failed;
}

export const createEvalCases: Verb<'createEvalCases'> = async (context, input) => {
  const { body, suiteId } = input;
  const vocabulary = vocabularyOf(input);
  const { duplicatePolicy: requestedPolicy } = body;
  const coerced = requestedPolicy !== undefined && !policies.includes(requestedPolicy);
  const policy = coerced || requestedPolicy === undefined ? 'block' : (requestedPolicy as Policy);
  // Parsed before the suite is locked, since it is slow; yields after each item.
  const items: (Item | Failed)[] = [];
  for (const [index, item] of body.cases.entries()) {
    items.push(read(item, index, vocabulary));
    await setImmediate();
  }
  const declaredSuiteId = input.declaredSuiteId ?? body.declaredSuiteId;
  const write = { suiteId, action: 'eval-case.create-batch', declaredSuiteId };
  return withSuite(context, write, async (db, suite) => {
    const taken = await suiteSize(db, suiteId);
    const key = input.idempotencyKey;
    const batch: Batch = { context, db, suite, vocabulary, policy, key, taken, keys: new Set() };
    const result: Result = {
      created: [],
      failed: [],
      duplicatePolicy: {
        ...(requestedPolicy !== undefined && { requestedPolicy }),
        effectivePolicy: policy,
        coerced,
      },
    };
    const unreasoned = policy !== 'block' && body.overrideReason === undefined;
    for (const item of items) {
      const outcome =
        'code' in item ? item : unreasoned ? unexplained(item, policy) : await store(batch, item);
      if ('code' in outcome) result.failed.push(outcome);
      else result.created.push(outcome);
    }
    if (result.created.some(({ replayed }) => !replayed))
      await writeRevision(context, db, suite, {}, { changedFields: ['cases'], note: body.overrideReason });
    return result;
  });
};

/** Reads one item; an invalid item does not affect the others. */
function read(item: Record<string, unknown>, index: number, vocabulary: Vocabulary): Item | Failed {
  const title = typeof item['title'] === 'string' ? item['title'].slice(0, 200) : undefined;
  const fail: Item['fail'] = (code, message) => ({
    index,
    ...(title !== undefined && { title }),
    ...(typeof item['id'] === 'string' && { declaredId: item['id'].slice(0, 128) }),
    code,
    message: message.slice(0, 500).toWellFormed(),
  });
  const text = JSON.stringify(sortKeys(item));
  if (text.length > largestCase)
    return fail('ITEM_TOO_LARGE', `Longer than ${largestCase.toLocaleString('en')} characters of JSON`);
  const parsed = readAs(CaseCreateRequest, item);
  if ('problem' in parsed) return fail(codeOf(parsed.path), parsed.problem);
  const { value } = parsed;
  const hash = createHash('sha256').update(text).digest('hex');
  return { index, hash, value, definition: defined(value, vocabulary), fail };
}

function defined(value: Item['value'], vocabulary: Vocabulary): Item['definition'] {
  try {
    return newCase(value, vocabulary);
  } catch (error) {
    if (!isCaseRefusal(error)) throw error;
    return error;
  }
}

function unexplained({ fail }: Item, policy: Policy): Failed {
  return fail('OVERRIDE_REASON_REQUIRED', `duplicatePolicy ${policy} needs an overrideReason`);
}

async function store(
  batch: Batch,
  { index, hash, value, definition, fail }: Item,
): Promise<Created | Failed> {
  const { context, db, suite, vocabulary, policy } = batch;
  const key = batch.key === undefined ? undefined : `${batch.key}:item:${hash.slice(0, 16)}`;
  if (key !== undefined) {
    if (batch.keys.has(key)) return fail('DUPLICATE_IDEMPOTENCY_KEY', 'The request contains this item twice');
    batch.keys.add(key);
    const earlier = await db.row(cases.byKey, { suiteId: suite.id, idempotencyKey: key });
    if (earlier && earlier.requestHash !== hash)
      return fail('IDEMPOTENCY_CONFLICT', 'The key was used with another item. Use a new key');
    if (earlier) return { index, ...named(earlier), replayed: true };
  }
  try {
    if (definition instanceof Refusal) throw definition;
    refuseOnRate(suite, definition, vocabulary);
    const { title, id: declaredId } = value;
    const twin = policy === 'warn' ? await twinOf(db, suite.id, contentHash(title, definition)) : undefined;
    const twins = policy !== 'block';
    const given = { title, declaredId, definition, idempotencyKey: key, requestHash: hash, twins };
    const row = await addCase(context, db, suite.id, given, batch.taken);
    return { index, ...named(row), replayed: false, ...(twin && { warnings: [twin] }) };
  } catch (error) {
    if (!isCaseRefusal(error)) throw error;
    return fail(reasonOf(error), error.message);
  }
}

async function twinOf(
  db: Db,
  suiteId: string,
  contentHash: string,
): Promise<{ code: string; message: string } | undefined> {
  const twin = await db.row(cases.byContent, { suiteId, contentHash });
  return twin && { code: 'DUPLICATE_CONTENT', message: `The case ${twin.id} has the same title and steps` };
}

function named({ id, declaredId, title }: Pick<cases.CaseRow, 'id' | 'declaredId' | 'title'>) {
  return { id, declaredId, title };
}

function codeOf(path: string): Failed['code'] {
  if (path === 'id') return 'INVALID_CASE_ID';
  return path.startsWith('import') ? 'INVALID_IMPORT' : 'INVALID_ITEM';
}

/** Error code of a refused case; `INVALID_CASE` if batches have no code for the reason. */
function reasonOf({ details }: Refusal): Failed['code'] {
  const reason = details?.['code'];
  if (reason === 'LIMIT_REACHED') return 'UNSTORABLE_ITEM';
  return reason === 'DUPLICATE_CASE_ID' || reason === 'DUPLICATE_CONTENT' ? reason : 'INVALID_CASE';
}
