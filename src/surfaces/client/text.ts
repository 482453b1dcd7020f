/** The text of a response, or undefined if it exceeds the limit in bytes. */
export async function boundedText(response: Response, most: number): Promise<string | undefined> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    size += read.value.length;
    if (size > most) {
      await reader?.cancel();
      return undefined;
    }
    pieces.push(decoder.decode(read.value, { stream: true }));
  }
  return pieces.join('') + decoder.decode();
}
