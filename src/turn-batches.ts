import { setImmediate as nextTurn } from 'node:timers/promises'

type Batch<Wanted, Found> = {
  readonly wanted: Map<string, Wanted>
  readonly found: Promise<ReadonlyMap<string, Found>>
}

/**
 * Lookups by a key, where all of one turn of the event loop are read together, at most so many. For a database behind a
 * socket, to which each statement costs several times what a row in it does.
 */
export function inTurnBatches<Wanted, Found>(
  most: number,
  readAll: (wanted: readonly Wanted[]) => Promise<ReadonlyMap<string, Found>>,
): (key: string, wanted: Wanted) => Promise<Found | undefined> {
  let open: Batch<Wanted, Found> | undefined
  const read = async (wanted: ReadonlyMap<string, Wanted>) => {
    await nextTurn()
    if (open?.wanted === wanted) open = undefined
    return readAll([...wanted.values()])
  }
  const begin = (): Batch<Wanted, Found> => {
    const wanted = new Map<string, Wanted>()
    return { wanted, found: read(wanted) }
  }
  return async (key, one) => {
    if (!open || open.wanted.size >= most) open = begin()
    const { wanted, found } = open
    wanted.set(key, one)
    return (await found).get(key)
  }
}

/** The same without keys: `readAll` finds what is wanted at the same place of its list. */
export function inTurnLists<Wanted, Found>(
  most: number,
  readAll: (wanted: readonly Wanted[]) => Promise<readonly Found[]>,
): (one: Wanted) => Promise<Found> {
  let open: { readonly wanted: Wanted[]; readonly found: Promise<readonly Found[]> } | undefined
  const read = async (wanted: readonly Wanted[]) => {
    await nextTurn()
    if (open?.wanted === wanted) open = undefined
    return readAll(wanted)
  }
  return async (one) => {
    if (!open || open.wanted.length >= most) {
      const wanted: Wanted[] = []
      open = { wanted, found: read(wanted) }
    }
    const place = open.wanted.push(one) - 1
    return (await open.found)[place] as Found
  }
}
