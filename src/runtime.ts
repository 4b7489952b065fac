// Finds the Node that the program needs. Imported by the published command and by test suites, so it runs on
// every Node from 20 on.

import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program uses what this version of Node has: SQLite, workers and sources without a build. */
export const NODE_MAJOR = 26

/** The program itself, compiled or not. */
const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url))

/** Flags of Node and environment of the program that keep its memory small, as in scripts/run.mjs. */
export const MEMORY_FLAGS = [
  // Submits of many connections are alive while they wait for the disk. A young generation that holds fewer of them moves
  // them to the old one, and collecting that took twice as much time as everything else that is collected.
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  // What belongs to a batch of submits outlives the young generation. The whole heap is collected when it has grown
  // by this share, not when it has doubled or more: 360 MB at most under submits where 450 to 500 were used.
  '--heap-growing-percent=60',
  // A collection of the whole heap moves what is left on sparsely used pages together. Otherwise texts that were evicted
  // leave gaps: 75 MB of pages with 45 MB in use.
  '--memory-saver-mode',
  // A thread that has nothing to do gives memory back: see src/kernel/base/idle-memory.ts.
  '--expose-gc',
]
export const MEMORY_ENVIRONMENT = {
  // By default glibc keeps a memory arena for each thread and rarely gives memory back.
  MALLOC_ARENA_MAX: '2',
  // Blocks of at least so many bytes go back to the system when they are freed. Pages of 100 casts and bulk submits are
  // larger; the buffers of 64 KiB that sockets are read into are smaller.
  MALLOC_MMAP_THRESHOLD_: '70000',
}

/** Names in the packages of Node where they differ from those of `process`. */
const PLATFORMS: Readonly<Record<string, string>> = { win32: 'win' }

/** How to start the program. */
export type Start = {
  readonly command: string
  readonly args: readonly string[]
  /** To be set unless the caller's environment has them. */
  readonly env: Readonly<Record<string, string>>
}

/** How the program is started with some arguments. Throws when no fitting Node is installed. */
export const programStart = (args: readonly string[]): Start => ({
  command: findNode(),
  args: [...MEMORY_FLAGS, PROGRAM, ...args],
  env: {
    ...MEMORY_ENVIRONMENT,
    // Compiled sources are kept between starts; the package itself may be read-only.
    NODE_COMPILE_CACHE: join(tmpdir(), 'rookery-compile-cache'),
  },
})

/** The running Node when it is new enough, otherwise the one that was installed beside this package. */
function findNode(): string {
  const { bun, deno, node } = process.versions
  // Bun and Deno give the version of a Node that they resemble, and cannot run the program.
  const other = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : undefined
  if (!other && Number.parseInt(node, 10) >= NODE_MAJOR) return process.execPath
  const platform = PLATFORMS[process.platform] ?? process.platform
  const name = `node-${platform}-${process.arch}`
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/${file}`)
  } catch {
    throw new Error(
      `rookery runs on Node ${NODE_MAJOR} and brings it as the optional package ${name}, which is not installed. ` +
        `This is ${other ?? `Node ${node}`}. Install Node ${NODE_MAJOR}, or install again with optional packages.`,
    )
  }
}
