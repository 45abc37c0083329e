export {
  connectCluster,
  type ConnectClusterOptions,
  type ConnectedCluster,
} from './connect-cluster.ts';
