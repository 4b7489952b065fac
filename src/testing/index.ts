// `rookery/testing`: a whole network for the test suites of other projects.

export type { Replayed, ReplayTarget } from '../dev/recording/replay.ts'
export type { Fault } from './generated/fault.ts'
export type {
  MiniApp,
  MiniAppFault,
  MiniAppReport,
  NotificationDetails,
} from './mini-app.ts'
export {
  type ForkOptions,
  type Network,
  type NetworkOptions,
  type Snapshot,
  startNetwork,
} from './network.ts'
export type { ForkedAccount, NetworkAccount, NetworkUrls } from './network-parts.ts'
export type {
  Snap,
  SnapElement,
  SnapFault,
  SnapPage,
  SnapPress,
  SnapPressOptions,
  SnapReport,
  SnapView,
} from './snap.ts'
export type { BrowserFrame, BrowserPage } from './web-client.ts'
