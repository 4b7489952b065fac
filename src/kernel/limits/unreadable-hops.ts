/** Characters of an entry that the warning shows: a proxy may pass on what a client has written. */
const MAX_SHOWN_CHARACTERS = 60

/** Remembers the first entry of X-Forwarded-For that was no address, and warns of it once. */
export class UnreadableHops {
  readonly #warn: (text: string) => void
  #warning: string | undefined

  constructor(warn: (text: string) => void) {
    this.#warn = warn
  }

  /** What the operator should know; undefined when every entry could be read. */
  get warning(): string | undefined {
    return this.#warning
  }

  readonly note = (hop: string): void => {
    if (this.#warning !== undefined) return
    const shown = JSON.stringify(hop.trim().slice(0, MAX_SHOWN_CHARACTERS))
    this.#warning =
      `X-Forwarded-For of a trusted proxy has ${shown}, which is no address: such requests share the limits ` +
      'of the proxy. Let the proxy append the address of its client, or remove its address from ROOKERY_TRUSTED_PROXIES'
    this.#warn(this.#warning)
  }
}
