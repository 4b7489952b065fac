// Some events that are set aside are a defect of the program, which a newer version mends. A large share means that the
// database refuses what the views write: feeds and search are then empty, and the process is not ready.

/** Fewer say nothing about the rest. */
const MIN_SET_ASIDE = 10
/** One author alone does not write so large a share of a network that is in use. */
const MAX_SET_ASIDE_SHARE = 0.2

/** Parts of events that are set aside for each stored message; one message may have several. */
export const setAsideShare = (setAside: number, messages: number): number =>
  setAside === 0 ? 0 : Math.min(1, setAside / Math.max(1, messages))

/** Throws when so much is set aside that feeds and search cannot be relied on. */
export function checkSetAsideShare(setAside: number, messages: number): void {
  if (setAside < MIN_SET_ASIDE || setAsideShare(setAside, messages) <= MAX_SET_ASIDE_SHARE) return
  throw new Error(
    `the views have set aside ${setAside} parts of events of ${messages} messages: see "rookery views set-aside"`,
  )
}
