import { Server } from 'node:net';

// Loaded before server-everything, which would listen on every interface and has no option for it.
// Called with its own `this` below.
// oxlint-disable-next-line typescript/unbound-method
const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest);
};
