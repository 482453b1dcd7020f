export {
  createHost,
  deleteHost,
  duplicateHost,
  getHost,
  listHosts,
  setHostServers,
  updateHost,
} from '../clients/hosts.ts';
