import type { ViewWriter } from '../storage/views/view-writer.ts'
import type { EventPart, SetAside } from '../storage/views/views.ts'

// One event that cannot be folded must not stop the views. A transaction that fails is tried again with fewer events, until
// one is left, and then without a part of it: that part is set aside, with the reason, and the log goes on behind it.

/** What a transaction was given: an event of the log, a stored message, a profile, or what was set aside before. */
export type Item = {
  readonly kind: 'event' | 'message' | 'profile' | 'set aside'
  readonly id: number
}

/** A part of an item that the next transaction leaves out, and why. */
export type LeftOut = { readonly item: Item; readonly part: EventPart; readonly reason: string }

/**
 * What is left out of an item, one after the other until the rest can be applied. The last one is the whole item. In most
 * events one part fails, and everything else about them should still be done.
 */
const PARTS: Readonly<Record<Item['kind'], readonly EventPart[]>> = {
  event: ['added', 'profile', 'removed', 'webhooks', 'event'],
  message: ['added'],
  profile: ['profile'],
  'set aside': ['event'],
}

const MAX_REASON_CHARACTERS = 300

/** The next part of an item to leave out after `tried` failed too; undefined when no part is left. */
export function nextLeftOut(item: Item, error: unknown, tried: LeftOut | undefined) {
  const parts = PARTS[item.kind]
  const isSame = tried !== undefined && isSameItem(tried.item, item)
  const part = parts[isSame ? parts.indexOf(tried.part) + 1 : 0]
  // The reason is what failed at first: without a part, something else may fail because of that.
  return part && { item, part, reason: isSame ? tried.reason : reasonOf(error) }
}

const isSameItem = (a: Item, b: Item) => a.kind === b.kind && a.id === b.id

/** One line, for people. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_REASON_CHARACTERS)
}

/** What one transaction is given, leaves out and sets aside. */
export class Attempt {
  readonly #leftOut: LeftOut | undefined
  readonly #now: number
  readonly #version: string
  readonly #put: SetAside[] = []
  #items = 0
  #last: Item | undefined
  #hasChanged = false
  /** Parts that are set aside in all, as the position says. */
  setAside = 0
  /** Of the position. */
  earlierBuilds = 0

  /** `now` is Unix milliseconds, `version` that of the program. */
  constructor(leftOut: LeftOut | undefined, now: number, version: string) {
    this.#leftOut = leftOut
    this.#now = now
    this.#version = version
  }

  get items(): number {
    return this.#items
  }

  /** The only item; undefined when there were none or several. */
  get onlyItem(): Item | undefined {
    return this.#items === 1 ? this.#last : undefined
  }

  /** What this transaction set aside. */
  get newlySetAside(): readonly SetAside[] {
    return this.#put
  }

  /** To be called before an item is looked at. Returns the part that is left out. */
  begin(item: Item): EventPart | undefined {
    this.#items += 1
    this.#last = item
    return this.#leftOut && isSameItem(this.#leftOut.item, item) ? this.#leftOut.part : undefined
  }

  /** Sets a part aside with the error that the attempt left it out for. */
  put(part: EventPart, id: number, reason = this.#leftOut!.reason): void {
    this.#put.push({ part, id, reason, version: this.#version, at: this.#now })
  }

  /** Those of the messages whose additions are set aside. They are so no longer: both cancel each other out. */
  async forgetAdded(writer: ViewWriter, ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (this.setAside + this.#put.length === 0 || ids.length === 0) return NONE
    const waiting = await writer.additionsSetAside(ids)
    await this.forget(writer, waiting)
    const found = new Set(waiting.map(({ id }) => id))
    for (const id of ids) {
      const at = this.#put.findIndex((one) => one.id === id && isAddition(one))
      if (at < 0) continue
      this.#put.splice(at, 1)
      found.add(id)
    }
    return found
  }

  async forget(writer: ViewWriter, rows: readonly Pick<SetAside, 'part' | 'id'>[]): Promise<void> {
    if (rows.length === 0) return
    await writer.removeSetAside(rows)
    this.#hasChanged = true
  }

  /** Writes what was set aside. Returns how many parts are set aside now. */
  async save(writer: ViewWriter): Promise<number> {
    if (this.#put.length > 0) await writer.putSetAside(this.#put)
    else if (!this.#hasChanged) return this.setAside
    this.setAside = await writer.countSetAside()
    return this.setAside
  }
}

const NONE: ReadonlySet<number> = new Set()

const isAddition = ({ part }: Pick<SetAside, 'part'>) => part === 'added' || part === 'event'
