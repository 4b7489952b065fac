import { vouchedKey } from '../../../kernel/hub/submit/vouched-key.ts'
import type { Source } from '../source/source.ts'

/** People whose keys are in memory; the others are asked for again. */
const MAX_PEOPLE = 10_000

/**
 * Gasless keys that only the source vouches for. It tells of a KEY_ADD once and logs none, so messages by keys that were
 * added before are those of keys that it says the person has.
 */
export class VouchedKeys {
  readonly #source: Pick<Source, 'gaslessKeys'>
  /** By fid, and in the order in which they were asked for: the types of messages that each key may sign. */
  readonly #keys = new Map<number, ReadonlyMap<string, readonly number[]>>()

  constructor(source: Pick<Source, 'gaslessKeys'>) {
    this.#source = source
  }

  of(fids: Iterable<number>): ReadonlySet<string> | undefined {
    const found = new Set<string>()
    for (const fid of fids) for (const key of this.#keys.get(fid)?.keys() ?? []) found.add(key)
    return found.size > 0 ? found : undefined
  }

  /** The types of messages that a key may sign; undefined when it is not known as a key of this person. */
  scopesOf(fid: number, key: Uint8Array): readonly number[] | undefined {
    return this.#keys.get(fid)?.get(vouchedKey(fid, key))
  }

  /** Asks the source for somebody's keys. Returns whether there are new ones. */
  async learn(fid: number): Promise<boolean> {
    const before = this.#keys.get(fid)
    const { keys } = await this.#source.gaslessKeys(fid)
    const now = new Map(keys.map(({ key, scopes }) => [vouchedKey(fid, key), scopes]))
    this.#keys.delete(fid)
    this.#keys.set(fid, now)
    const oldest = this.#keys.keys().next()
    if (this.#keys.size > MAX_PEOPLE && !oldest.done) this.#keys.delete(oldest.value)
    return [...now.keys()].some((key) => !before?.has(key))
  }
}
