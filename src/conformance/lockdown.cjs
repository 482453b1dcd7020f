// Preloaded into the process of the official suite. Allows connections to the gate (`--url`) only, because the suite
// talks to servers that may answer anything, including a redirect to another host.
const net = require('node:net');
const dns = require('node:dns');
const dgram = require('node:dgram');
const childProcess = require('node:child_process');

const { hostname, port } = new URL(process.argv[process.argv.indexOf('--url') + 1]);

function refuse(what) {
  throw Object.assign(new Error(`${what} is not allowed here`), { code: 'EACCES' });
}

// oxlint-disable-next-line typescript/unbound-method -- called with the socket it belongs to below
const { connect: connectAnywhere } = net.Socket.prototype;
net.Socket.prototype.connect = function guarded(...args) {
  // Node itself passes one array of normalized arguments.
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const wanted = typeof first === 'object' && first !== null ? first : { port: first, host: args[1] };
  const own = String(wanted.port) === port && wanted.host === hostname && wanted.path == null;
  if (!own) {
    const error = Object.assign(new Error('Only the gate is reached from here'), { code: 'EACCES' });
    process.nextTick(() => this.destroy(error));
    return this;
  }
  return Reflect.apply(connectAnywhere, this, args);
};

function refuseLookup() {
  refuse('Looking up a name');
}
for (const library of [dns, dns.promises])
  for (const name of Object.keys(library))
    if (/^(?:lookup|lookupService|resolve.*|reverse|Resolver)$/.test(name)) library[name] = refuseLookup;
for (const name of ['bind', 'connect', 'send']) dgram.Socket.prototype[name] = () => refuse('UDP');
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'])
  childProcess[name] = () => refuse('Starting a program');
net.Server.prototype.listen = () => refuse('Listening');
