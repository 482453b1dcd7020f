import { createServer } from 'node:http';

/** Answers a POST with what it was sent, and a GET with as many bytes as it is asked for. */
const chunk = Buffer.alloc(64 * 1024);
const server = createServer((request, response) => {
  if (request.method === 'POST') return void request.pipe(response);
  let left = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('bytes'));
  const more = () => {
    while (left > 0) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
