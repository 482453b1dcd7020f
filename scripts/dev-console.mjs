// The console as it is written, in front of a service that runs: npm run dev:console
import { createServer } from 'vite';
import { consoleConfig } from './console.mjs';

const target = process.env.DRYDOCK_URL ?? 'http://127.0.0.1:4700';
// The service sees the address that the browser sees, or it would take requests for those of another site.
const passedOn = { target, changeOrigin: false };
// Requests of the page to the service have this header; requests for its modules below api/ do not.
const bypass = ({ url, headers }) => (headers['x-drydock-console'] === undefined ? url : undefined);
const server = await createServer({
  ...consoleConfig,
  server: {
    host: '127.0.0.1',
    proxy: { '/api': passedOn, '/console/api': { ...passedOn, bypass }, '/docs': passedOn },
  },
});
await server.listen();
server.printUrls();
