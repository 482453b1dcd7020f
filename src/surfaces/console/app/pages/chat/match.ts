/** Fields of a message that hold words of people, models and tools. */
const spoken = /"(?:text|value|toolName)": ?"((?:[^"\\]|\\.)*)/g;

/** The beginning of a message that was found, which comes as JSON and may end anywhere, as words. */
export function wordsOfMatch(json: string): string {
  const found = json.startsWith('"')
    ? [json.slice(1)]
    : [...json.matchAll(spoken)].map(([, text = '']) => text);
  const words = found.map(unescaped).join(' ').trim();
  return words === '' ? json : words;
}

function unescaped(text: string): string {
  const whole = text.replace(/(?<!\\)"$/, '').replace(/\\(u[0-9a-f]{0,3})?$/i, '');
  try {
    return JSON.parse(`"${whole}"`) as string;
  } catch {
    return whole;
  }
}
