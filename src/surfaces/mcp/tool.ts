import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { readAs } from '../../domain/base/input.ts';
import { invalid } from '../../domain/base/refusals.ts';
import type { Calling } from './agent.ts';
import type { Answer } from './answers.ts';
import { defaultSize, largestSize } from './answers.ts';
import { spendsNote } from './operation-facts.ts';

export interface AgentTool {
  definition: Tool;
  /** Whether error messages may come from a server. */
  reachesOut: (args: Record<string, unknown>) => boolean;
  run: (args: Record<string, unknown>, calling: Calling) => Promise<Answer>;
}

/** The maximum characters of data in the answer. */
export function sizeOf(args: Record<string, unknown>): number {
  const { answerSize } = args;
  return typeof answerSize === 'number' ? Math.max(500, Math.min(answerSize, largestSize)) : defaultSize;
}

export const answerSize = z
  .number()
  .int()
  .min(500)
  .max(largestSize)
  .optional()
  .describe(`Characters of data in the answer (default ${defaultSize}).`);

interface Declared<Input extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** Default: read-only. */
  hints?: ToolAnnotations;
  spends?: true;
  run: (input: z.output<Input>, calling: Calling) => Promise<Answer>;
}

const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Adds the known arguments to an error about an unknown one. */
function withArguments(problem: string, name: string, { shape }: z.ZodObject): string {
  return problem.includes('Unrecognized key')
    ? `${problem.slice(0, 500)}. ${name} takes ${Object.keys(shape).join(', ')}`
    : problem;
}

/** A tool that validates its arguments against its schema, with the error messages of the API. */
export function tool<Input extends z.ZodObject>(declared: Declared<Input>): AgentTool {
  const { name, title, description, input, hints, spends, run } = declared;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input', target: 'draft-2020-12' });
  const annotations = { title, ...reads, ...hints };
  return {
    definition: {
      name,
      description: spends ? `${description} ${spendsNote}` : description,
      inputSchema: inputSchema as Tool['inputSchema'],
      annotations,
      ...(spends && { _meta: { 'drydock/spends': true } }),
    },
    reachesOut: () => annotations.openWorldHint === true,
    run: async (args, calling) => {
      const read = readAs(input, args);
      if ('problem' in read) throw invalid(withArguments(read.problem, name, input));
      return run(read.value, calling);
    },
  };
}
