type Makers<C> = Readonly<Record<string, (context: C) => unknown>>
type Made<M extends Makers<never>> = { readonly [K in keyof M]: ReturnType<M[K]> }

/**
 * A class of objects that have a part for each of these functions, made when it is first used. A transaction
 * uses few of the parts of a writer, and to make all of them takes longer than a statement.
 */
export function madeWhenUsed<C, const M extends Makers<C>>(
  makers: M & Makers<C>,
): new (
  context: C,
) => Made<M> {
  class Parts {
    readonly #context: C
    readonly #made = new Map<string, unknown>()

    constructor(context: C) {
      this.#context = context
    }

    static {
      for (const [name, make] of Object.entries<(context: C) => unknown>(makers)) {
        Object.defineProperty(Parts.prototype, name, {
          get(this: Parts) {
            return this.#made.getOrInsertComputed(name, () => make(this.#context))
          },
        })
      }
    }
  }
  return Parts as unknown as new (
    context: C,
  ) => Made<M>
}
