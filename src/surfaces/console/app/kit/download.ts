export function downloadJson(name: string, value: unknown): void {
  downloadText(name, `${JSON.stringify(value, null, 2)}\n`, 'application/json');
}

export function downloadText(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  // By then, the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
