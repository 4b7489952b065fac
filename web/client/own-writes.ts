// What the viewer has written is read at once: answers of the app API wait until they contain it.

let newestEvent = 0

/** To be called with the event of an accepted message. */
export function noteEvent(id: number): void {
  if (Number.isSafeInteger(id) && id > newestEvent) newestEvent = id
}

/** Headers of a read that has to contain everything up to an event and up to the last own write. */
export function headersAfter(event = 0): Record<string, string> {
  const id = Math.max(event, newestEvent)
  return id > 0 ? { 'x-rookery-after': String(id) } : {}
}
