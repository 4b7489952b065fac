// Memory for request bodies that have arrived in part or are not handled yet.

import { Rejection } from '../protocol/rejection.ts'
import { KIB, MIB } from '../protocol/sizes.ts'
import type { Client } from './client.ts'

/** A longer body is a large one. Signed messages and JSON are shorter: only files and batches are not. */
const SMALL_BODY_BYTES = 64 * KIB
/** A body that has been read in part must go on at this speed, on average over a period: that of a slow mobile network. */
const LEAST_BYTES_PER_SECOND = 8 * KIB
/** Longer than an ordinary connection pauses after lost packets. */
const SPEED_PERIOD_SECONDS = 10
const WATCH_MS = 1_000

export type BodyBounds = {
  /** Bytes of bodies up to SMALL_BODY_BYTES, in all. Large ones cannot take this part. */
  readonly small: number
  /** Bytes of larger bodies in all, and of one client. */
  readonly large: number
  readonly largePerClient: number
  /** How often the speed of bodies is looked at; a period is SPEED_PERIOD_SECONDS of these. */
  readonly watchMs: number
}

const BOUNDS: BodyBounds = {
  small: 16 * MIB,
  large: 48 * MIB,
  largePerClient: 16 * MIB,
  watchMs: WATCH_MS,
}

/** Called with the reason when a body loses its memory before it was handled. */
type OnEnded = (reason: Rejection) => void

const overloaded = () =>
  new Rejection('unavailable.overloaded', 'too many request bodies are being received', {
    retryAfterSeconds: 1,
  })

const tooSlow = () =>
  new Rejection(
    'bad_request.too_slow',
    `the body must arrive at ${LEAST_BYTES_PER_SECOND / KIB} KiB a second or faster`,
  )

/**
 * The memory of one process for bodies. When a part is full, the network with the most bytes in it loses its largest body
 * to a network with fewer. So a few clients that hold unfinished bodies do not keep others from sending theirs.
 */
export class BodyMemory {
  readonly #bounds: BodyBounds
  readonly #small: Part
  readonly #large: Part
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: Partial<BodyBounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds }
    this.#small = new Part(this.#bounds.small)
    this.#large = new Part(this.#bounds.large, this.#bounds.largePerClient)
  }

  /** Bytes of all bodies. */
  get used(): number {
    return this.#small.used + this.#large.used
  }

  /** A body that begins. `announced` is its length where that is known. */
  open(client: Client, onEnded: OnEnded, announced = 0): Body {
    const isLarge = announced > SMALL_BODY_BYTES
    return new Body(client, onEnded, {
      part: isLarge ? this.#large : this.#small,
      large: this.#large,
      onHeld: () => this.#watch(),
    })
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#endSlowBodies(), this.#bounds.watchMs).unref()
  }

  #endSlowBodies(): void {
    const bodies = [...this.#small.bodies, ...this.#large.bodies]
    for (const body of bodies) if (body.isTooSlow()) body.end(tooSlow())
    if (bodies.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** The bodies that share one bound. */
class Part {
  readonly bodies = new Set<Body>()
  readonly #total: number
  readonly #perClient: number
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(total: number, perClient = total) {
    this.#total = total
    this.#perClient = perClient
  }

  get used(): number {
    return this.#used
  }

  /** Counts `more` bytes of a body. Throws a Rejection when there is no memory for them. */
  grow(body: Body, more: number): void {
    if (this.#clientUse(body) + more > this.#perClient) throw overloaded()
    while (this.#used + more > this.#total) {
      const larger = this.#largest(body, more)
      if (!larger) throw overloaded()
      larger.end(overloaded())
    }
    this.change(body, more)
  }

  /** Counts bytes, or fewer of them, without looking at the bounds. */
  change(body: Body, bytes: number): void {
    const { name, network } = body.client
    this.#used += bytes
    this.#count(`client/${name}`, bytes)
    this.#count(`network/${network}`, bytes)
  }

  #count(key: string, bytes: number): void {
    const used = (this.#usedBy.get(key) ?? 0) + bytes
    if (used > 0) this.#usedBy.set(key, used)
    else this.#usedBy.delete(key)
  }

  #clientUse = ({ client }: Body): number => this.#usedBy.get(`client/${client.name}`) ?? 0

  #networkUse = ({ client }: Body): number => this.#usedBy.get(`network/${client.network}`) ?? 0

  /** The body that gives way to this one: of the network, then the client, that has the most, if that is more than this one's. */
  #largest(body: Body, more: number): Body | undefined {
    const order = (one: Body, other: Body) =>
      this.#networkUse(other) - this.#networkUse(one) ||
      this.#clientUse(other) - this.#clientUse(one) ||
      other.bytes - one.bytes
    return [...this.bodies].filter((one) => this.#hasMore(one, body, more)).sort(order)[0]
  }

  #hasMore(one: Body, body: Body, more: number): boolean {
    const use =
      one.client.network !== body.client.network
        ? this.#networkUse
        : one.client.name !== body.client.name
          ? this.#clientUse
          : ({ bytes }: Body) => bytes
    return use(one) > use(body) + more
  }
}

type Parts = { part: Part; readonly large: Part; onHeld(): void }

/** A body of a request, and the memory that it takes. */
export class Body {
  readonly client: Client
  readonly #onEnded: OnEnded
  readonly #parts: Parts
  #bytes = 0
  #isArriving = true
  /** Bytes of this period, and how often the speed was checked in it. */
  #received = 0
  #checks = 0

  constructor(client: Client, onEnded: OnEnded, parts: Parts) {
    this.client = client
    this.#onEnded = onEnded
    this.#parts = parts
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Counts so many bytes from now on. Throws a Rejection when there is no memory for them. */
  hold(bytes: number): void {
    const more = bytes - this.#bytes
    if (more > 0) this.#grow(bytes, more)
    else if (more < 0) this.#shrink(-more)
  }

  /** The body has arrived whole: it may take any time until it is handled. */
  arrived(): void {
    this.#isArriving = false
  }

  /** Whether it did not go on as fast as it must; counts the times it was asked. */
  isTooSlow(): boolean {
    this.#checks++
    if (!this.#isArriving || this.#checks <= SPEED_PERIOD_SECONDS) return false
    const isTooSlow = this.#received < SPEED_PERIOD_SECONDS * LEAST_BYTES_PER_SECOND
    this.#received = 0
    this.#checks = 1
    return isTooSlow
  }

  /** Releases its memory and tells its reader why. */
  end(reason: Rejection): void {
    this.hold(0)
    this.#onEnded(reason)
  }

  #grow(bytes: number, more: number): void {
    if (bytes > SMALL_BODY_BYTES) this.#becomeLarge()
    const { part, onHeld } = this.#parts
    part.grow(this, more)
    part.bodies.add(this)
    this.#bytes = bytes
    this.#received += more
    onHeld()
  }

  #shrink(fewer: number): void {
    const { part } = this.#parts
    part.change(this, -fewer)
    this.#bytes -= fewer
    if (this.#bytes > 0) return
    part.bodies.delete(this)
    this.#received = 0
    this.#checks = 0
  }

  /** A body whose length was not announced began as a small one. */
  #becomeLarge(): void {
    const { part, large } = this.#parts
    if (part === large) return
    large.grow(this, this.#bytes)
    part.change(this, -this.#bytes)
    part.bodies.delete(this)
    if (this.#bytes > 0) large.bodies.add(this)
    this.#parts.part = large
  }
}

/** Over all interfaces of this process. */
export const processBodies = new BodyMemory()
