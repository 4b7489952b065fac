import { totalmem } from 'node:os'

/** Bytes that the process may use: the limit of its control group, or the memory of the machine. */
export function memoryLimit(): number {
  const limit = process.constrainedMemory()
  // Node says 0, or more than there is, where no control group limits the process.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
