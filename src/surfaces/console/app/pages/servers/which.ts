/** The server that a page is about. */
export interface Which {
  projectId: string;
  serverId: string;
}
