import { type BrowserPolicy, listsOf } from '../../browser/policy.ts';
import { BrowserAgentCommand } from '../../contract/browser-commands.ts';
import { Refusal } from '../../contract/errors.ts';
import type { BrowserRow } from '../../platform/database/queries/browser-sessions.ts';
import { faultIn } from '../../platform/json/storable.ts';
import { quoted } from '../../platform/quoted.ts';
import type { OwnTool } from '../../trials/tools.ts';
import { defaultLimits } from '../base/body-limits.ts';
import { readAs } from '../base/input.ts';
import type { Context } from '../context/context.ts';
import { sendCommand } from './command.ts';

/** Maximum number of characters of page content sent to a model per command. */
const maxPageChars = 40_000;

interface ModelTool {
  name: string;
  description: string;
  properties: Record<string, unknown>;
  required?: string[];
  /** Policy actions for this tool; at least one must be allowed. */
  needs: readonly string[];
  command: (input: Record<string, unknown>) => Record<string, unknown>;
}

const verbs = ['click', 'type', 'press', 'scroll', 'hover', 'drag', 'select'];
const dialogVerbs = ['accept_dialog', 'dismiss_dialog', 'close_tab', 'activate_tab'];
const text = (description: string) => ({ type: 'string', description });

const tools: readonly ModelTool[] = [
  {
    name: 'browser_navigate',
    description: 'Shows an address in the browser.',
    properties: { url: text('http:// or https://'), newTab: { type: 'boolean' } },
    required: ['url'],
    needs: ['navigate'],
    command: ({ url, newTab }) => ({ op: 'navigate', url, ...(newTab !== undefined && { newTab }) }),
  },
  {
    name: 'browser_observe',
    description:
      'Looks at the page: `a11y` lists what is on it with refs for browser_act, `screenshot` takes a picture for the user.',
    properties: {
      mode: {
        type: 'string',
        enum: ['a11y', 'text', 'screenshot', 'console', 'network', 'dialog', 'url', 'page_tools'],
      },
      rootSelector: text('A part of the page, by CSS selector.'),
    },
    required: ['mode'],
    needs: ['observe'],
    command: ({ mode, rootSelector }) => ({
      op: 'observe',
      mode,
      ...(rootSelector !== undefined && { rootSelector }),
    }),
  },
  {
    name: 'browser_act',
    description:
      'Acts on the page: on an element by the ref that browser_observe gave it, or by CSS selector.',
    properties: {
      verb: { type: 'string', enum: [...verbs, ...dialogVerbs] },
      ref: text('From browser_observe.'),
      selector: text('CSS, instead of ref.'),
      value: text('What to type, which key, option, direction or tab.'),
    },
    required: ['verb'],
    needs: ['act', ...verbs, ...dialogVerbs],
    command: ({ verb, ref, selector, value }) => ({
      op: 'act',
      verb,
      ...(ref !== undefined && { target: { ref } }),
      ...(ref === undefined && selector !== undefined && { target: { selector } }),
      ...(value !== undefined && { value }),
    }),
  },
  ...(['back', 'forward', 'reload'] as const).map(
    (op): ModelTool => ({
      name: `browser_${op}`,
      description: op === 'reload' ? 'Loads the page again.' : `Goes ${op} one page.`,
      properties: {},
      needs: [op],
      command: () => ({ op }),
    }),
  ),
  {
    name: 'browser_page_tool',
    description: 'Calls a tool that the page offers; browser_observe with mode page_tools lists them.',
    properties: { toolKey: text('From the list.'), input: { type: 'object' } },
    required: ['toolKey'],
    needs: ['invoke_page_tool'],
    command: ({ toolKey, input }) => ({ op: 'invoke_page_tool', toolKey, input: input ?? {} }),
  },
];

/** The browser tools the policy allows a model to use. */
export function browserTools(
  context: Context,
  row: BrowserRow,
  { turnId, policy }: { turnId: string; policy: BrowserPolicy },
): OwnTool[] {
  const { tools: allowed } = listsOf(policy);
  const allows = (need: string): boolean =>
    allowed === null || allowed.some((one) => one === need || one.startsWith(`${need}:`));
  return tools
    .filter(({ needs }) => needs.some(allows))
    .map(({ name, description, properties, required = [], command }) => ({
      name,
      description,
      inputSchema: { type: 'object', properties, required },
      answer: (input, { toolCallId }) => {
        const wanted = command(input);
        const looks = wanted['op'] !== 'observe' && wanted['op'] !== 'invoke_page_tool' && allows('observe');
        const turn = { turnId, toolCallId, toolName: name, policy };
        return carryOut(context, row, { ...wanted, ...(looks && { observeAfter: 'a11y' }) }, turn);
      },
    }));
}

/** A refused command is answered to the model as an error, and the turn goes on. */
async function carryOut(
  context: Context,
  row: BrowserRow,
  wanted: Record<string, unknown>,
  turn: { turnId: string; toolCallId: string; toolName: string; policy: BrowserPolicy },
): Promise<{ text: string; isError: boolean }> {
  const read = readAs(BrowserAgentCommand, wanted);
  if ('problem' in read) return { text: `Not done. ${read.problem}`, isError: true };
  // Models may produce values that cannot be stored.
  const fault = faultIn(read.value, defaultLimits);
  if (fault) return { text: `Not done. ${fault.path.join('.')}: ${fault.problem}`, isError: true };
  try {
    const { result, reason, url, title, dialog, observation, output, screenshot } = await sendCommand(
      context,
      row,
      {
        command: read.value,
        turn,
      },
    );
    const ours = { executed: 'Done.', refused: 'Not done.', unknown: 'The outcome is unknown.' }[result];
    const said = {
      reason,
      url,
      title,
      dialog,
      ...(observation as object),
      ...(output !== undefined && { output }),
    };
    const lines = [ours, ...(screenshot ? ['The user can see the screenshot.'] : []), toldOf(said)];
    return { text: lines.join('\n'), isError: result !== 'executed' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { text: `Not done. ${error.message}`, isError: true };
  }
}

/** Page content is quoted as data, since it may contain prompt injection. */
function toldOf(said: Record<string, unknown>): string {
  const whole = JSON.stringify(said);
  if (whole.length <= maxPageChars) return quoted('Said by a page.', said);
  const { text: page, ...rest } = said;
  if (typeof page !== 'string') return quoted('Said by a page, and cut.', whole.slice(0, maxPageChars));
  return quoted('Said by a page, and cut.', { ...rest, text: page.slice(0, maxPageChars) });
}
