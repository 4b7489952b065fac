import { Rejection } from '../protocol/rejection.ts'
import { StoreUnavailable } from '../storage/engines/unavailable.ts'
import type { Storage } from '../storage/storage.ts'
import type { ViewReads } from '../storage/view-reads.ts'
import type { Views } from '../views/port.ts'
import type { SearchPort } from './ports.ts'

// Reads of the app API from standbys, which show an earlier state. One standby answers a whole request: statements on two
// of them could list a cast and then miss it.

/** What differs between the primary and a standby. */
type Source = { readonly storage: ViewReads; readonly search: SearchPort }

export class Standbys {
  readonly #storage: Pick<Storage, 'nextReplica'>
  readonly #views: Pick<Views, 'state'>
  /** By the standby: the build of the views that it has whole, by `earlierBuilds`. */
  readonly #builds = new Map<ViewReads, number>()

  constructor(storage: Pick<Storage, 'nextReplica'>, views: Pick<Views, 'state'>) {
    this.#storage = storage
    this.#views = views
  }

  /**
   * Answers a read on a standby whose views have this event, otherwise on the primary. A read that fails on the standby, or
   * that finds there less than it was asked for, is repeated on the primary.
   */
  async answer<C extends Source, R>(
    context: C,
    eventId: number,
    read: (context: C) => Promise<R>,
    isWhole: (reply: R) => boolean,
  ): Promise<R> {
    try {
      const standby = await this.#find(eventId)
      if (standby) {
        const reply = await read(contextOn(standby, context))
        if (isWhole(reply)) return reply
      }
    } catch (error) {
      const isMissing = error instanceof Rejection && error.code === 'not_found'
      if (!isMissing && !(error instanceof StoreUnavailable)) throw error
    }
    return read(context)
  }

  async #find(eventId: number): Promise<ViewReads | undefined> {
    const state = this.#views.state()
    if (state.status !== 'ready') return undefined
    const standby = this.#storage.nextReplica()
    if (!standby) return undefined
    const { earlierBuilds } = state
    if (eventId === 0 && this.#builds.get(standby) === earlierBuilds) return standby
    const position = await standby.views.position()
    if (!position || position.build || position.cursor < eventId) return undefined
    if ((position.earlierBuilds ?? 0) !== earlierBuilds) return undefined
    this.#builds.set(standby, earlierBuilds)
    return standby
  }
}

/** What is cached by version is still read from the primary: a version of one server with the rows of another would stay wrong. */
const contextOn = <C extends Source>(storage: ViewReads, context: C): C => ({
  ...context,
  storage,
  search: { ...context.search, ...storage.appViews },
})
