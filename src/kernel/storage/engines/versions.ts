// Versions of what is stored, by which readers validate their caches. Lists share counters: a change of one makes readers of
// some others look again, too.

/** Of authors, and of accounts that casts mention. */
const ACCOUNT_COUNTERS = 4_096
/** Of what messages point at: casts, URLs and accounts, which are many times as many. 64 KiB. */
const TARGET_COUNTERS = 16_384

/** The first counters: of all commits, and of changes that concern every list. */
const COMMITS = 0
const EVERY_LIST = 1
const AUTHORS = 2
const MENTIONED = AUTHORS + ACCOUNT_COUNTERS
const TARGETS = MENTIONED + ACCOUNT_COUNTERS
const COUNTERS = TARGETS + TARGET_COUNTERS

const ofAuthor = (fid: number): number => AUTHORS + (fid % ACCOUNT_COUNTERS)
const ofMentioned = (fid: number): number => MENTIONED + (fid % ACCOUNT_COUNTERS)

function ofTarget(key: Uint8Array): number {
  let mixed = FNV_OFFSET
  for (let i = 0; i < key.length; i++) mixed = Math.imul(mixed ^ key[i]!, FNV_PRIME)
  return TARGETS + ((mixed >>> 0) % TARGET_COUNTERS)
}

/** Fowler, Noll and Vo's hash of 32 bits, variant 1a. */
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * Versions of the stored data. They are counted after each commit and before its caller hears of it. All threads of a
 * process count in one memory.
 */
export type Versions = {
  /** Changes with every commit. */
  ofStore(): number
  /** Changes with the published messages of an author. */
  ofAuthor(fid: number): number
  /** Changes with the published casts that mention an account. */
  ofMentioned(fid: number): number
  /** Changes with the published messages that point at one of these: a target, or of links the prefix of all to a fid. */
  ofTargets(keys: readonly Uint8Array[]): number
}

/** The changes of a transaction that readers are told of. */
export class Changes<Topic> {
  readonly topics = new Set<Topic>()
  readonly counters = new Set<number>()
  /** Whether something concerns every list, such as a cast that was hidden. */
  concernsEverybody = false

  /** Notes that a message of this author was stored or removed. */
  author(fid: number): void {
    this.counters.add(ofAuthor(fid))
  }

  /** The same of a cast that mentions this account. */
  mention(fid: number): void {
    this.counters.add(ofMentioned(fid))
  }

  /** The same of a message that points at this. */
  target(key: Uint8Array): void {
    this.counters.add(ofTarget(key))
  }
}

export type SharedVersions = Versions & { count(changes: Changes<unknown>): void }

export const newVersionMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(COUNTERS * Uint32Array.BYTES_PER_ELEMENT)

export function versionsIn(memory: SharedArrayBuffer): SharedVersions {
  const counters = new Uint32Array(memory)
  // All counters only grow, so a sum changes when one of them does.
  const versionOf = (counter: number) =>
    Atomics.load(counters, EVERY_LIST) + Atomics.load(counters, counter)
  return {
    ofStore: () => Atomics.load(counters, COMMITS),
    ofAuthor: (fid) => versionOf(ofAuthor(fid)),
    ofMentioned: (fid) => versionOf(ofMentioned(fid)),
    ofTargets: (keys) => keys.reduce((sum, key) => sum + versionOf(ofTarget(key)), 0),
    count({ counters: changed, concernsEverybody }) {
      for (const counter of changed) Atomics.add(counters, counter, 1)
      if (concernsEverybody) Atomics.add(counters, EVERY_LIST, 1)
      Atomics.add(counters, COMMITS, 1)
    },
  }
}
