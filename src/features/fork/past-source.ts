import { networkTime } from '../../kernel/protocol/time.ts'
import { isObject } from './json.ts'
import { ForkSource, type Query, type Read, type SourceJson } from './source.ts'

/** A source as of a time: what is later is left out. What was removed or replaced since then, no public read has. */
export class PastSource extends ForkSource {
  readonly #source: ForkSource
  readonly #atSeconds: number
  readonly #atNetworkTime: number

  constructor(source: ForkSource, atSeconds: number) {
    super()
    this.#source = source
    this.#atSeconds = atSeconds
    this.#atNetworkTime = networkTime(atSeconds * 1_000)
  }

  override async get(read: Read, query: Query = {}): Promise<SourceJson | undefined> {
    // Of casts hubs list only those until a time, so that pages are not full of later ones.
    const until = { ...query, stopTimestamp: this.#atNetworkTime }
    const answer = await this.#source.get(read, read === 'casts' ? until : query)
    if (answer === undefined) return undefined
    if (read === 'cast' || read === 'name') return this.#isUntil(answer) ? answer : undefined
    const lists = Object.entries(answer).map(([name, value]) => [
      name,
      // A list of fids has numbers: accounts are there from their events on.
      Array.isArray(value) ? value.filter((one) => !isObject(one) || this.#isUntil(one)) : value,
    ])
    return Object.fromEntries(lists)
  }

  override close(): void {
    this.#source.close()
  }

  /** Messages have network time, events and names Unix seconds. */
  #isUntil({ data, blockTimestamp, timestamp }: SourceJson): boolean {
    if (isObject(data)) return Number(data.timestamp) <= this.#atNetworkTime
    return Number(blockTimestamp ?? timestamp) <= this.#atSeconds
  }
}
