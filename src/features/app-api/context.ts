import type { StorageTerms } from '../../kernel/protocol/storage-units.ts'
import type { Onlooker } from '../../kernel/storage/reads/app-hidden.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { ViewReads } from '../../kernel/storage/view-reads.ts'
import type { Views } from '../../kernel/views/port.ts'
import type { Scores } from '../../kernel/views/scores.ts'
import type { Search } from '../search/search.ts'
import type { Apps } from './apps.ts'
import type { ChannelCache } from './channels/channel-cache.ts'
import type { KeyApps } from './key-apps.ts'
import type { MediaPort } from './ports.ts'
import type { Ranking } from './ranking.ts'
import type { Standbys } from './standbys.ts'

/** Functions of other services, which app.ts passes on. */
export type AppPorts = {
  readonly media: MediaPort
  /** Whether the operator keeps a name for itself. */
  readonly isReservedName: (name: string) => boolean
}

/** The app and the user that a read is for. Both hide accounts; the user also gets `viewer_context`. */
export type Viewer = Onlooker

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
  readonly channelCache: ChannelCache
  readonly keyApps: KeyApps
  /** The score of each fid by the newest set of power badges; undefined before the first set. */
  readonly scores: () => Promise<Scores>
  readonly ranking: Ranking
  readonly search: Search
  readonly ports: AppPorts
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** The same where something is written or decided, always by the store itself. */
export type StoreContext = AppContext & { readonly storage: Storage }
