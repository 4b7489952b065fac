// What a test file leaves running when one of its tests fails is ended when the file ends. Several files
// may share a process, so the end of the process is too late.

import { after } from 'node:test'

const endings = new Set<() => void>()

/** Registers what ends everything that a module of the tests has started and that still runs. */
export function onFileEnd(end: () => void): void {
  endings.add(end)
}

export function endFile(): void {
  for (const end of endings) end()
}

// For a file that `node --test` runs by itself.
after(endFile)
