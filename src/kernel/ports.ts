/** What a feature does for others: its `port.ts` declares it, and its `serve.ts` offers it. */
export type Port<T> = {
  readonly name: string
  /** Only for its type. */
  readonly offers?: T
}

export const port = <T>(name: string): Port<T> => ({ name })

/** What the features of one server offer each other. */
export class Ports {
  readonly #offered = new Map<Port<unknown>, unknown>()

  readonly offer = <T>(to: Port<T>, offered: T): void => {
    if (this.#offered.has(to)) throw new Error(`${to.name} is offered twice`)
    this.#offered.set(to, offered)
  }

  /** Undefined when no feature of this server offers it. */
  readonly find = <T>(from: Port<T>): T | undefined => this.#offered.get(from) as T | undefined

  /** The same for what must be there: the feature that asks stands below it in the list, and needs it. */
  readonly of = <T>(from: Port<T>): T => {
    const found = this.find(from)
    if (found === undefined) throw new Error(`no feature of this server offers ${from.name}`)
    return found
  }
}
