// What a test file leaves running when one of its tests fails is ended when the file ends. Several files
// may share a process, so the end of the process is too late.

import { after } from 'node:test'

const endings = new Set<() => void | Promise<void>>()

/** Registers what ends everything that a module of the tests has started and that still runs. */
export function onFileEnd(end: () => void | Promise<void>): void {
  endings.add(end)
}

export async function endFile(): Promise<void> {
  for (const end of endings) await end()
}

// For a file that `node --test` runs by itself.
after(endFile)
