// `rookery/testing`: a whole network for the test suites of other projects.

export {
  type Network,
  type NetworkAccount,
  type NetworkOptions,
  type NetworkUrls,
  startNetwork,
} from './network.ts'
