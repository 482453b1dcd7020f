import { isObject } from '../../platform/json/is-object.ts';
import { jsonText, sha256 } from '../json/value.ts';
import { cut } from '../text/show.ts';

/** The fields of a trace that are judged. They are untrusted: a reporter may have written anything into them. */
export interface JudgedTrace {
  systemPrompt?: unknown;
  messages?: unknown;
  spans?: unknown;
  [field: string]: unknown;
}

/** Describes the evidence that a judge received. */
export interface EvidenceManifest {
  version: 1;
  traceComplete: true;
  traceFields: string[];
  messageCount: number;
  spanCount: number;
  artifactSources: { sourceId: string; mediaType: string; modality: 'image' | 'audio' | 'video' | 'file' }[];
  /** The first lines that the judge did not receive, or received in part. */
  uncaptured: string[];
  inputBytes: number;
}

export interface JudgeEvidence {
  /** One JSON line per message, call or result. */
  text: string;
  hash: string;
  manifest: EvidenceManifest;
  /** The last message, if it is the assistant's; otherwise empty. */
  finalAnswer: string;
  /** Text given to the model: the system prompt, messages of the user, and results of tools. */
  sources: string[];
}

type Line = { role: string; text: string; tool?: string | undefined };

/** Maximum characters of one line, the minimum to which it is shortened, and maximum bytes of all lines. */
const maxLineLength = 8_000;
const shortestLine = 200;
const maxBytes = 96_000;
/** Maximum number of lines. More never fit, even if each is as short as possible. */
const maxLines = 4_000;
const roomForNote = 100;
const maxNoted = 20;

/** Renders the recording for a judge. Deterministic: equal traces give equal text. */
export function judgeEvidence(trace: JudgedTrace): JudgeEvidence {
  const messages = Array.isArray(trace.messages) ? (trace.messages as unknown[]) : [];
  const { systemPrompt, spans } = trace;
  const lines: Line[] = [
    ...(typeof systemPrompt === 'string' ? [{ role: 'system', text: systemPrompt }] : []),
    ...messages.flatMap(linesOf),
  ];
  const last = lines.at(-1);
  const { text, uncaptured } = fitted(lines);
  return {
    text,
    hash: sha256(text),
    manifest: {
      version: 1,
      traceComplete: true,
      traceFields: ['systemPrompt', 'messages'].filter((field) => trace[field] !== undefined),
      messageCount: messages.length,
      spanCount: Array.isArray(spans) ? spans.length : 0,
      artifactSources: [],
      uncaptured: uncaptured.slice(0, maxNoted),
      inputBytes: Buffer.byteLength(text),
    },
    finalAnswer: last?.role === 'assistant' ? last.text : '',
    sources: lines.filter(({ role }) => role !== 'assistant' && role !== 'call').map((line) => line.text),
  };
}

function linesOf(message: unknown): Line[] {
  if (!isObject(message)) return [];
  const { role, content } = message;
  const speaker = typeof role === 'string' ? cut(role, 40) : 'unknown';
  if (typeof content === 'string') return content === '' ? [] : [{ role: speaker, text: content }];
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).flatMap((part) => (isObject(part) ? lineOf(speaker, part) : []));
}

function lineOf(role: string, part: Record<string, unknown>): Line[] {
  const { type, text, toolName, input, output } = part;
  const tool = typeof toolName === 'string' ? cut(toolName, 200) : undefined;
  if (type === 'text' && typeof text === 'string') return text === '' ? [] : [{ role, text }];
  if (type === 'tool-call') return [{ role: 'call', tool, text: jsonText(input) ?? '' }];
  if (type === 'tool-result') return [{ role: 'tool', tool, text: resultText(output) }];
  return [];
}

function resultText(output: unknown): string {
  const value = isObject(output) && 'value' in output ? output['value'] : output;
  return typeof value === 'string' ? value : (jsonText(value) ?? '');
}

/** Halves the length limit of lines until all fit. If that is not enough, omits lines from the middle. */
function fitted(lines: readonly Line[]): { text: string; uncaptured: string[] } {
  const places = placesOf(lines.length);
  const write = (most: number): string[] => places.map((at) => lineText(lines[at] as Line, most));
  let longest = maxLineLength;
  let written = write(longest);
  while (sizeOf(written) > maxBytes && longest > shortestLine) {
    longest = Math.max(shortestLine, Math.floor(longest / 2));
    written = write(longest);
  }
  const uncaptured = places.flatMap((at) => {
    const { role, text } = lines[at] as Line;
    return text.length > longest ? [`line ${at + 1} (${role}): ${longest} of ${text.length} characters`] : [];
  });
  if (places.length === lines.length && sizeOf(written) <= maxBytes)
    return { text: written.join('\n'), uncaptured };
  const { head, tail } = endsOf(written, maxBytes - roomForNote);
  const left = lines.length - head - tail;
  const note = JSON.stringify({ role: 'recorder', text: `${left} lines are left out here` });
  return {
    text: [...written.slice(0, head), note, ...written.slice(written.length - tail)].join('\n'),
    uncaptured: [`${left} lines in the middle`, ...uncaptured],
  };
}

/** Indexes of the lines to write: all, or only the first and last `maxLines / 2`, because more can never fit. */
function placesOf(lines: number): number[] {
  const half = Math.min(lines, maxLines) / 2;
  const head = Array.from({ length: Math.ceil(half) }, (_, at) => at);
  const tail = Array.from({ length: Math.floor(half) }, (_, at) => lines - Math.floor(half) + at);
  return [...head, ...tail];
}

/** How many lines fit, taken alternately from both ends. */
function endsOf(written: readonly string[], room: number): { head: number; tail: number } {
  let [head, tail] = [0, 0];
  for (let size = 0; head + tail < written.length; ) {
    const isHead = head <= tail;
    size += sizeOf([written[isHead ? head : written.length - 1 - tail] as string]);
    if (size > room) break;
    if (isHead) head++;
    else tail++;
  }
  return { head, tail };
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

function lineText({ role, tool, text }: Line, longest: number): string {
  return quoted({ role, ...(tool !== undefined && { tool }), text: cut(text, longest) });
}

/** JSON on one line with `<` and `>` escaped, so that quoted text cannot contain the marker that ends its block. */
export function quoted(value: unknown): string {
  return JSON.stringify(value).replace(/[<>]/g, (mark) => (mark === '<' ? '\\u003c' : '\\u003e'));
}
