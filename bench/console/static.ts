import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StaticPage {
  url: string;
  close(): Promise<void>;
}

const built = 'dist/console/assets';

/**
 * A rendered console page as one static document, with its styles and an inert script of the same compressed size.
 */
export async function staticCopy(html: string, scriptBytes: number): Promise<StaticPage> {
  const styles = (await readdir(built)).filter((name) => name.endsWith('.css'));
  const css = (await Promise.all(styles.map((name) => readFile(`${built}/${name}`, 'utf8')))).join('\n');
  // Bytes that do not compress, so that as many travel.
  const script = `/*${randomText(scriptBytes - 4)}*/`;
  const document = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Copy</title>
    <link rel="stylesheet" href="/style.css"><script src="/script.js" defer></script></head>
    <body><div id="app">${html}</div></body></html>`;
  const files: Record<string, [type: string, text: string]> = {
    '/': ['text/html', document],
    '/style.css': ['text/css', css],
    '/script.js': ['text/javascript', script],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', ''];
    response.setHeader('content-type', `${type}; charset=utf-8`);
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';

function randomText(length: number): string {
  return Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
}
