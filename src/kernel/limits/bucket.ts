/** The units that are earned in a second, and how many seconds of them can be saved. */
export type Rate = { readonly perSecond: number; readonly burstSeconds: number }

export const capacityOf = ({ perSecond, burstSeconds }: Rate): number => perSecond * burstSeconds

type Bucket = { units: number; atMs: number }

/** Adds to a bucket what was earned since the last time. */
function refill(bucket: Bucket, rate: Rate, nowMs: number): void {
  const earned = (Math.max(0, nowMs - bucket.atMs) / 1_000) * rate.perSecond
  bucket.units = Math.min(capacityOf(rate), bucket.units + earned)
  bucket.atMs = nowMs
}

/** A token bucket for each of the keys that were used last, at most `maxKeys`. */
export class TokenBuckets {
  readonly rate: Rate
  readonly #maxKeys: number
  // The least recently used key comes first.
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, maxKeys: number) {
    this.rate = rate
    this.#maxKeys = maxKeys
  }

  /** How many units are missing before `units` may be consumed; negative when more are there. */
  deficit(key: string, units: number, nowMs: number): number {
    const bucket = this.#buckets.get(key) ?? this.#newBucket(nowMs, 0)
    touch(this.#buckets, key, bucket, this.#maxKeys)
    refill(bucket, this.rate, nowMs)
    // A request that costs more than can be saved is allowed when everything is saved.
    return Math.min(units, capacityOf(this.rate)) - bucket.units
  }

  /** Takes units from the bucket of a key, which may get into debt; negative ones are refunded. */
  consume(key: string, units: number, nowMs: number): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.units -= units
    else touch(this.#buckets, key, this.#newBucket(nowMs, units), this.#maxKeys)
  }

  #newBucket(nowMs: number, consumed: number): Bucket {
    return { units: capacityOf(this.rate) - consumed, atMs: nowMs }
  }

  /** Number of keys in memory. */
  get size(): number {
    return this.#buckets.size
  }
}

/**
 * One token bucket of all clients, shared fairly when little is left. A client may consume when what it consumed lately is
 * at most what is left for all ("dynamic thresholds", Choudhury and Hahne 1998, with a factor of 1). The more clients
 * compete, the less is left and the less each may have consumed, so greedy clients hold each other at equal shares. A
 * client that asks for less than such a share is not refused, however many requests of others are.
 */
export class SharedBucket {
  #rate: Rate
  readonly #maxClients: number
  readonly #bucket: Bucket
  // The client that consumed longest ago comes first.
  readonly #consumedBy = new Map<string, Bucket>()

  constructor(rate: Rate, maxClients: number, nowMs: number) {
    this.#rate = rate
    this.#maxClients = maxClients
    this.#bucket = { units: capacityOf(rate), atMs: nowMs }
  }

  get rate(): Rate {
    return this.#rate
  }

  /** Changes the rate. Units beyond the new capacity are lost. */
  setRate(rate: Rate, nowMs: number): void {
    refill(this.#bucket, this.#rate, nowMs)
    this.#rate = rate
    refill(this.#bucket, rate, nowMs)
  }

  /** How many units have to be earned before a client may consume `units`. */
  deficit(client: string, units: number, nowMs: number): number {
    refill(this.#bucket, this.#rate, nowMs)
    const wanted = this.#consumedLately(client, nowMs) + units
    // A request that costs more than can be saved is allowed when everything is saved.
    return Math.min(wanted, capacityOf(this.#rate)) - this.#bucket.units
  }

  /** Takes units, whether they are left or not. */
  consume(client: string, units: number, nowMs: number): void {
    refill(this.#bucket, this.#rate, nowMs)
    const consumed = this.#consumedLately(client, nowMs) + units
    touch(this.#consumedBy, client, { units: consumed, atMs: nowMs }, this.#maxClients)
    this.#bucket.units -= units
  }

  /** Returns units that a client consumed and did not use. */
  refund(client: string, units: number): void {
    const consumed = this.#consumedBy.get(client)
    if (!consumed) return
    consumed.units = Math.max(0, consumed.units - units)
    this.#bucket.units += units
  }

  /** What a client consumed, which is forgotten as fast as a whole bucket is earned. */
  #consumedLately(client: string, nowMs: number): number {
    const consumed = this.#consumedBy.get(client)
    if (!consumed) return 0
    const seconds = Math.max(0, nowMs - consumed.atMs) / 1_000
    return consumed.units * Math.exp(-seconds / this.#rate.burstSeconds)
  }
}

/** Moves a key to the end of a map, and evicts the first one when there is no room for a new one. */
function touch<V>(map: Map<string, V>, key: string, value: V, maxKeys: number): void {
  if (!map.delete(key) && map.size >= maxKeys) map.delete(map.keys().next().value!)
  map.set(key, value)
}
