/** Lets at most `max` pieces of work run at a time; the others wait in the order of their calls. */
export class Turns {
  readonly #max: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(max: number) {
    this.#max = max
  }

  get running(): number {
    return this.#running
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#max) this.#running++
    // A run that ends passes its place to the next.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
