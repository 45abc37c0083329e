export { awaitApiServer } from './control-plane/await-api-server.ts';
export {
  createAuthority,
  createCertificate,
  writeKubeconfig,
} from './control-plane/certificates.ts';
export { createPki } from './control-plane/create-pki.ts';
export {
  apiServerArguments,
  controllersArguments,
  etcdArguments,
  schedulerArguments,
  type ControlPlanePlaces,
} from './control-plane/program-arguments.ts';
export { missingPackages } from './machine/missing-packages.ts';
export { startCluster, type StartedCluster } from './machine/start-cluster.ts';
export { isClusterRunning, stopCluster } from './machine/stop-cluster.ts';
export { FOLDER_PROVISIONER } from './node/folder-volumes.ts';
export { hostCluster, CLUSTER_REGISTRY, type ClusterPlan } from './node/host-cluster.ts';
export { NODE_NAME } from './node/node-names.ts';
export { areProgramsBuilt, buildPrograms } from './programs/build-programs.ts';
export {
  controlPlaneModules,
  KUBERNETES_MINORS,
  nodeModules,
  type ProgramModule,
} from './programs/program-modules.ts';
export { startProgram, type RunningProgram } from './running-program.ts';
