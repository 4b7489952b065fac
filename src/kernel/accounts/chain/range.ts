/** A range of so many blocks is accepted by every provider. */
const FIRST_BLOCKS = 1_000
const MAX_BLOCKS = 64_000
/** Longer answers take more memory than they save requests. */
const MANY_LOGS = 5_000
/** Number of answers after a refusal until a longer range is tried again. */
const ANSWERS_BEFORE_RETRY = 64

/** How many blocks to request at once: fewer after a refusal, more after answers. */
export class RangeSize {
  #blocks = FIRST_BLOCKS
  #limit = MAX_BLOCKS
  #answers = 0

  get blocks(): number {
    return this.#blocks
  }

  /** Whether a shorter range is possible. */
  refused(): boolean {
    if (this.#blocks === 1) return false
    this.#blocks = Math.floor(this.#blocks / 2)
    this.#limit = this.#blocks
    this.#answers = 0
    return true
  }

  answered(logs: number): void {
    this.#answers++
    if (this.#limit < MAX_BLOCKS && this.#answers >= ANSWERS_BEFORE_RETRY) {
      this.#limit = Math.min(this.#limit * 2, MAX_BLOCKS)
      this.#answers = 0
    }
    if (logs > MANY_LOGS) this.#blocks = Math.max(1, Math.floor(this.#blocks / 2))
    else if (logs < MANY_LOGS / 2) this.#blocks = Math.min(this.#blocks * 2, this.#limit)
  }
}
