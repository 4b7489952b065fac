import { readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'

/** Bytes that the process may use: the limit of its control group, or the memory of the machine. */
export function memoryLimit(): number {
  const limit = process.constrainedMemory()
  // Node says 0, or more than there is, where no control group limits the process.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** Bytes of the process that only the end of their use gives back. On Linux pages of the program's files do not count: the system drops them when it must. */
export function memoryInUse(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  const [, kibibytes] = /RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return kibibytes === undefined ? process.memoryUsage.rss() : Number(kibibytes) * 1_024
}

/** Bytes that the machine has left for all of its processes. What its control group has left is not asked for: the group counts pages of files that it would drop. Elsewhere than on Linux such pages are not told apart. */
export const freeOnMachine = (): number =>
  process.platform === 'linux' ? freemem() : Number.POSITIVE_INFINITY
