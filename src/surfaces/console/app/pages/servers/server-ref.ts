export interface ServerRef {
  projectId: string;
  serverId: string;
}
