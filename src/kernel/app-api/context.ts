import type { IncomingHttpHeaders } from 'node:http'
import type { StorageTerms } from '../protocol/storage-units.ts'
import type { Viewer as ShownTo } from '../storage/reads/shown.ts'
import type { StorageConfig } from '../storage/settings.ts'
import type { Storage } from '../storage/storage.ts'
import type { ViewReads } from '../storage/view-reads.ts'
import type { Views } from '../views/port.ts'
import type { Scores } from '../views/scores.ts'
import type { Apps } from './apps.ts'
import type { KeyApps } from './key-apps.ts'
import type { AppPorts, ChannelsPort, SearchPort } from './ports.ts'
import type { Ranking } from './ranking.ts'
import type { Standbys } from './standbys.ts'

/** The app and the user that a read is for. Both hide accounts; the user also gets `viewer_context`. */
export type Viewer = ShownTo & {
  /**
   * Of the request, which is answered in the language that they ask for. That of the account is for nobody else: `viewer_fid` may name
   * any, and would tell which there are here, too.
   */
  readonly headers?: IncomingHttpHeaders
}

/** The dependencies of every part of the app API that reads. */
export type AppContext = {
  /** The store, or the standby that answers a read. */
  readonly storage: ViewReads
  readonly standbys: Standbys
  readonly apps: Apps
  readonly views: Views
  readonly settings: Pick<StorageConfig, 'network'> & {
    /** What the url of a quoted cast that is not stored begins with. */
    readonly castUrlBase: string
    /** Days between two changes of a name of the registry. */
    readonly nameChangeDays: number
  }
  readonly storageTerms: StorageTerms
  /** Whether storage grows, so that no message is removed by count. */
  readonly storageGrows: boolean
  readonly channelCache: ChannelsPort
  readonly keyApps: KeyApps
  /** The score of each fid by the newest set of power badges; undefined before the first set. */
  readonly scores: () => Promise<Scores>
  readonly ranking: Ranking
  readonly search: SearchPort
  readonly ports: AppPorts
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** The same where something is written or decided, always by the store itself. */
export type StoreContext = AppContext & { readonly storage: Storage }
