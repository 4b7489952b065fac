/** Authors share this many counters: a change of one makes readers of some others look again, too. */
const AUTHOR_COUNTERS = 4_096

/** The first counters: of all commits, and of changes that concern every author. */
const COMMITS = 0
const EVERYBODY = 1
const OWN_COUNTERS = 2

/**
 * Versions of the stored data, by which readers validate their caches. They are
 * counted after each commit and before its caller hears of it. All threads of a process count in one memory.
 */
export type Versions = {
  /** Changes with every commit. */
  ofStore(): number
  /** Changes with the published messages of an author. */
  ofAuthor(fid: number): number
}

/** The changes of a transaction that readers are told of. */
export class Changes<Topic> {
  readonly topics = new Set<Topic>()
  readonly authors = new Set<number>()
  /** Whether something concerns every author, such as a cast that was hidden. */
  concernsEverybody = false
}

export type SharedVersions = Versions & { count(changes: Changes<unknown>): void }

export const newVersionMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer((OWN_COUNTERS + AUTHOR_COUNTERS) * Uint32Array.BYTES_PER_ELEMENT)

export function versionsIn(memory: SharedArrayBuffer): SharedVersions {
  const counters = new Uint32Array(memory)
  const indexOf = (fid: number) => OWN_COUNTERS + (fid % AUTHOR_COUNTERS)
  return {
    ofStore: () => Atomics.load(counters, COMMITS),
    // Both only grow, so the sum changes when one of them does.
    ofAuthor: (fid) => Atomics.load(counters, EVERYBODY) + Atomics.load(counters, indexOf(fid)),
    count({ authors, concernsEverybody }) {
      for (const fid of authors) Atomics.add(counters, indexOf(fid), 1)
      if (concernsEverybody) Atomics.add(counters, EVERYBODY, 1)
      Atomics.add(counters, COMMITS, 1)
    },
  }
}
