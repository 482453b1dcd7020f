export interface Which {
  projectId: string;
  serverId: string;
}
