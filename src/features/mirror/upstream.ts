import type { Upstream } from '../../kernel/storage/upstream.ts'
import { type MirrorOutbox, type MirrorShard, mirrorRows } from './tables/mirror.ts'
import { mirrorNameRows } from './tables/mirror-names.ts'

/** What is noted about the source in the transaction of the steps that it is about. */
export type MirrorNote = {
  /** How far the events of a shard are applied, unless a message was refused for a reason that has to be noted first. */
  readonly cursor?: MirrorShard | undefined
  /** The submit that is merged, kept with it until an event of the source confirms it. */
  readonly submitted?: MirrorOutbox | undefined
  /** Messages that an event of the source has confirmed. */
  readonly confirmed?: readonly Uint8Array[] | undefined
}

/** What the hub asks about the source, on the thread of requests and on the one that merges. */
export const mirrorUpstream: Upstream = {
  names: mirrorNameRows,
  isKnown: async (reader) => (await reader.of(mirrorRows).source()) !== undefined,
  async scopeOf(reader, fid) {
    const [person] = await reader.of(mirrorRows).fids([fid])
    if (!person || person.state === 'erasing') return 'outside'
    return person.state === 'frozen' || person.state === 'context' ? 'frozen' : undefined
  },
  async limitsOf(reader, fid) {
    const [person] = await reader.of(mirrorRows).fids([fid])
    return person && new Map(JSON.parse(person.limits) as [number, number][])
  },
  async writeNote(tx, note, { areSettled, areMerged }) {
    const { cursor, submitted, confirmed } = note as MirrorNote
    const mirror = tx.of(mirrorRows)
    if (cursor && areSettled) await mirror.putShards([cursor])
    if (submitted && areMerged) await mirror.insertOutbox(submitted)
    if (confirmed) await mirror.confirmSubmits(confirmed)
  },
}
