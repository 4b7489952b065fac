// Where an import of a file stopped, so that it goes on there. Kept until who imports signs out.

const PLACE = 'rookery.import'

export type Place = {
  /** Steps that are done. */
  readonly at: number
  /** What was refused in them. */
  readonly refused: number
}
const START: Place = { at: 0, refused: 0 }

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

export function keptPlace(id: string, steps: number): Place {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? '{}')
    const { at, refused } = kept
    return kept.id === id && isCount(at) && at <= steps && isCount(refused)
      ? { at, refused }
      : START
  } catch {
    return START
  }
}

export function keepPlace(id: string, { at, refused }: Place): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ id, at, refused }))
  } catch {}
}

export function forgetPlace(): void {
  try {
    localStorage.removeItem(PLACE)
  } catch {}
}
