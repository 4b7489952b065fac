import { compareBytes } from '../../protocol/codec/bytes.ts'
import type { StoredMessage } from '../../storage/messages/messages.ts'

type Position = Pick<StoredMessage, 'timestamp' | 'hash'>

/** The oldest messages of a list in (timestamp, hash) order: a prefix of the list, or all of it. */
export class OldestFirst {
  readonly #rows: StoredMessage[]
  readonly #complete: boolean

  constructor(rows: readonly StoredMessage[], complete: boolean) {
    this.#rows = [...rows]
    this.#complete = complete
  }

  /** True when this position is before every row; false when there are no rows. */
  isBeforeAll(position: Position): boolean {
    return this.#rows[0] !== undefined && compare(position, this.#rows[0]) < 0
  }

  /** Inserts a row in order, unless it belongs after the known prefix. */
  add(row: StoredMessage): void {
    const last = this.#rows.at(-1)
    if (!this.#complete && (!last || compare(row, last) > 0)) return
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (compare(this.#rows[middle]!, row) < 0) low = middle + 1
      else high = middle
    }
    this.#rows.splice(low, 0, row)
  }

  delete(row: StoredMessage): void {
    const index = this.#rows.findIndex((other) => other.id === row.id)
    if (index >= 0) this.#rows.splice(index, 1)
  }

  get first(): StoredMessage | undefined {
    return this.#rows[0]
  }
}

const compare = (a: Position, b: Position) =>
  a.timestamp - b.timestamp || compareBytes(a.hash, b.hash)
